//! Table of programs that change or fetch files, or run a project's scripts.

use super::{
    Copies,
    EffectCondition::{Always, Never, With},
    Form, Machines,
    Operands::{Addresses, Copied, Dd, Files, Names, NamesChanged, Packed, Written},
    OptionEffect::{Changes, Elsewhere, Reads, Runs, Writes},
    SingleOperand, form,
};

const COPY: Copies = Copies {
    machines: Machines::This,
    single: SingleOperand::Destination,
    creates: Never,
    exchanges: Never,
    links: Never,
    removes: Never,
    recurses: Never,
    keeps_path: Never,
};
const CP: Copies =
    Copies { recurses: With("-r -R -a --recursive --archive"), keeps_path: With("--parents"), ..COPY };
const MV: Copies = Copies { exchanges: With("--exchange"), removes: Always, recurses: Always, ..COPY };
const LN: Copies = Copies { single: SingleOperand::SourceToHere, links: With("-s --symbolic"), ..COPY };
const INSTALL: Copies = Copies { creates: With("-d --directory"), ..COPY };
const SCP: Copies = Copies { machines: Machines::Others, recurses: With("-r"), ..COPY };
const RSYNC: Copies = Copies {
    machines: Machines::Others,
    single: SingleOperand::Source,
    removes: With("--remove-source-files"),
    recurses: With("-r -a -d --recursive --archive --dirs --files-from"),
    keeps_path: With("-R --relative"),
    ..COPY
};

pub(super) const FORMS: &[Form] = &[
    form("less, more, man, most", Files).acts(&[("-P --pager -k --lesskey-file -H --html", Runs), ("-o -O", Writes)]),
    form("tee", Written),
    form("touch, mkdir, rmdir, unlink, truncate, mkfifo", Written).valued("-s -t -m"),
    form("rm", Written).same(&[("-r", "--recursive"), ("-R", "--recursive"), ("-f", "--force")]),
    form("chmod, chown, chgrp", NamesChanged).same(&[("-R", "--recursive")]),
    form("cp", Copied(CP)).valued("-S -t --suffix --target-directory"),
    form("mv", Copied(MV)).valued("-S -t --suffix --target-directory"),
    form("ln", Copied(LN)).valued("-S -t --suffix --target-directory"),
    form("install", Copied(INSTALL)).valued("-S -t -g -m -o --suffix --target-directory --group --mode --owner --strip-program").acts(&[("--strip-program", Runs)]),
    form("rsync", Copied(RSYNC)).valued("-e -f -B -M -T --rsh --rsync-path --filter --exclude --include --exclude-from --include-from --files-from --out-format --log-file --log-file-format --port --timeout --contimeout --bwlimit --max-size --min-size --max-delete --partial-dir --temp-dir --backup-dir --suffix --compare-dest --copy-dest --link-dest --chmod --chown --usermap --groupmap --info --debug --password-file --early-input --iconv --block-size --modify-window --compress-level --compress-choice --checksum-choice --checksum-seed --skip-compress --address --sockopts --outbuf --remote-option --write-batch --only-write-batch --read-batch --protocol --stop-after --stop-at --max-alloc").acts(&[("-e --rsh --rsync-path --early-input", Runs), ("--files-from --exclude-from --include-from --password-file --compare-dest --copy-dest --link-dest --read-batch", Reads), ("-T --temp-dir --backup-dir --partial-dir --log-file --write-batch --only-write-batch", Writes)]),
    form("scp", Copied(SCP)).valued("-c -D -F -i -J -l -o -P -S -X").acts(&[("-S -o -F -D", Runs)]),
    form("dd", Dd),
    form("tar, bsdtar", Packed).valued("-f -C -I -F -T -X -g --file --directory --exclude").acts(&[("--to-command -I --use-compress-program --checkpoint-action --rsh-command --rmt-command -F --info-script --new-volume-script", Runs)]),
    form("curl", Addresses).valued("-o -d -X -H -T -K -F -u -A -b -c -e -m -w -x -E -D --output --data --request --header --config --upload-file --form --proxy --url --data-raw --data-ascii --data-binary --data-urlencode --json --variable --write-out").acts(&[("-o --output -c -D --dump-header --cookie-jar --trace --stderr", Writes), ("-O --remote-name -d --data --data-raw --data-binary --data-urlencode --json -X --request -T --upload-file -F --form --output-dir --remote-name-all -J", Changes), ("-K --config --engine", Runs), ("-x --proxy --resolve --connect-to --unix-socket", Elsewhere)]),
    form("wget", Addresses).valued("-O -o -P -i -e --output-document --input-file --execute --post-file --post-data --body-file --body-data").acts(&[("-O --output-document -o -P", Writes), ("-e --execute --use-askpass --config", Runs), ("--post-data --post-file --body-data --body-file --method", Changes), ("-i --input-file", Reads)]),
    form("cargo", Names).acts(&[("--config", Runs), ("-C --manifest-path", Elsewhere)]),
    form("make, gmake, ninja", Names).valued("-C -f -j -I -o -W").acts(&[("-C", Elsewhere), ("-f --file --makefile --eval -E", Runs)]),
    form("npm, pnpm, yarn, bun", Names).acts(&[("--prefix -C --cwd", Elsewhere), ("--script-shell --node-options --globalconfig --userconfig", Runs)]),
    form("go", Names).acts(&[("-exec -toolexec -overlay", Runs), ("-C", Elsewhere)]).one_dash(),
    form("python, python3, node, ruby, perl, php, deno, lua", Names).acts(&[("-c -e -E -p -r --eval --print --require --import --loader -m -I -M -i", Runs)]),
];
