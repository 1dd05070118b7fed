//! Programs that change or fetch files, or run a project's scripts.

use super::{
    Act::{Changes, Elsewhere, Reads, Runs, Writes},
    Form,
    Operands::{Addresses, Files, Names, Written},
    form,
};

pub(super) const FORMS: &[Form] = &[
    form("less, more, man, most", Files).acts(&[("-P --pager -k --lesskey-file -H --html", Runs), ("-o -O", Writes)]),
    form("tee", Written),
    form("touch, mkdir, rmdir, unlink, truncate, mkfifo", Written).valued("-s -t -m"),
    form("rm", Written).same(&[("-r", "--recursive"), ("-R", "--recursive"), ("-f", "--force")]),
    form("chmod, chown, chgrp", Names).same(&[("-R", "--recursive")]),
    form("cp, mv, ln, install, rsync, scp, dd", Written).acts(&[("-e --rsh --rsync-path -S", Runs)]),
    form("tar, bsdtar", Names).valued("-f -C -I -F -T -X -g --file --directory --exclude").acts(&[("--to-command -I --use-compress-program --checkpoint-action --rsh-command --rmt-command -F --info-script --new-volume-script", Runs)]),
    form("curl", Addresses).valued("-o -d -X -H -T -K -F -u -A -b -c -e -m -w -x -E -D --output --data --request --header --config --upload-file --form --proxy --url").acts(&[("-o --output -c -D --dump-header --cookie-jar --trace --stderr", Writes), ("-O --remote-name -d --data --data-raw --data-binary --data-urlencode --json -X --request -T --upload-file -F --form --output-dir --remote-name-all -J", Changes), ("-K --config --engine", Runs), ("-x --proxy --resolve --connect-to --unix-socket", Elsewhere)]),
    form("wget", Addresses).valued("-O -o -P --output-document").acts(&[("-O --output-document -o -P", Writes), ("-e --execute --use-askpass --config", Runs), ("--post-data --post-file", Changes), ("-i --input-file", Reads)]),
    form("cargo", Names).acts(&[("--config", Runs), ("-C --manifest-path", Elsewhere)]),
    form("make, gmake, ninja", Names).valued("-C -f -j -I -o -W").acts(&[("-C", Elsewhere), ("-f --file --makefile --eval -E", Runs)]),
    form("npm, pnpm, yarn, bun", Names).acts(&[("--prefix -C --cwd", Elsewhere), ("--script-shell --node-options --globalconfig --userconfig", Runs)]),
    form("go", Names).acts(&[("-exec -toolexec -overlay", Runs), ("-C", Elsewhere)]).one_dash(),
    form("python, python3, node, ruby, perl, php, deno, lua", Names).acts(&[("-c -e -E -p -r --eval --print --require --import --loader -m -I -M -i", Runs)]),
];
