//! Programs that change or fetch files, or run a project's scripts.

use super::{
    Act::{Changes, Elsewhere, Reads, WrappedCommand, Writes},
    Form,
    Operands::{Addresses, Files, Names, Written},
    form,
};

pub(super) const FORMS: &[Form] = &[
    form("less, more, man, most", Files).acts(&[("-P --pager -k --lesskey-file -H --html", WrappedCommand), ("-o -O", Writes)]),
    form("tee", Written),
    form("touch, mkdir, rmdir, unlink, truncate, mkfifo", Written).valued("-s -t -m"),
    form("rm", Written).same(&[("-r", "--recursive"), ("-R", "--recursive"), ("-f", "--force")]),
    form("chmod, chown, chgrp", Names).same(&[("-R", "--recursive")]),
    form("cp, mv, ln, install, rsync, scp, dd", Written).acts(&[("-e --rsh --rsync-path -S", WrappedCommand)]),
    form("tar, bsdtar", Names).valued("-f -C -I -F -T -X -g --file --directory --exclude").acts(&[("--to-command -I --use-compress-program --checkpoint-action --rsh-command --rmt-command -F --info-script --new-volume-script", WrappedCommand)]),
    form("curl", Addresses).valued("-o -d -X -H -T -K -F -u -A -b -c -e -m -w -x -E -D --output --data --request --header --config --upload-file --form --proxy --url").acts(&[("-o --output -c -D --dump-header --cookie-jar --trace --stderr", Writes), ("-O --remote-name -d --data --data-raw --data-binary --data-urlencode --json -X --request -T --upload-file -F --form --output-dir --remote-name-all -J", Changes), ("-K --config --engine", WrappedCommand), ("-x --proxy --resolve --connect-to --unix-socket", Elsewhere)]),
    form("wget", Addresses).valued("-O -o -P --output-document").acts(&[("-O --output-document -o -P", Writes), ("-e --execute --use-askpass --config", WrappedCommand), ("--post-data --post-file", Changes), ("-i --input-file", Reads)]),
    form("cargo", Names).acts(&[("--config", WrappedCommand), ("-C --manifest-path", Elsewhere)]),
    form("make, gmake, ninja", Names).valued("-C -f -j -I -o -W").acts(&[("-C", Elsewhere), ("-f --file --makefile --eval -E", WrappedCommand)]),
    form("npm, pnpm, yarn, bun", Names).acts(&[("--prefix -C --cwd", Elsewhere), ("--script-shell --node-options --globalconfig --userconfig", WrappedCommand)]),
    form("go", Names).acts(&[("-exec -toolexec -overlay", WrappedCommand), ("-C", Elsewhere)]).one_dash(),
    form("python, python3, node, ruby, perl, php, deno, lua", Names).acts(&[("-c -e -E -p -r --eval --print --require --import --loader -m -I -M -i", WrappedCommand)]),
];
