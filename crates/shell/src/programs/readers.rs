//! Table of programs that usually only read, and of builtins of the shell.

use super::{
    Form,
    Operands::{Awk, Change, Files, ReadThenWritten, Sed, Text, TextThenFiles, Variables},
    OptionEffect::{Changes, Elsewhere, Reads, Runs, Writes},
    form,
};

pub(super) const FORMS: &[Form] = &[
    form("echo, true, false, :, sleep, seq, uname, whoami, id, nproc, uptime, arch, groups, printenv, which, type, basename, dirname, tty, locale, break, continue, return, exit, shift, cd, pwd, pushd, popd, dirs, getconf, expr, factor, cal, kill, jobs", Text),
    form("export, local, readonly, declare, typeset", Text).acts(&[("-i -n", Runs)]),
    form("wait", Text).acts(&[("-p", Runs)]),
    form("test, [", Text).acts(&[("-v -R", Runs)]).one_dash(),
    form("printf", Text).acts(&[("-v", Runs)]),
    form("read, mapfile, readarray, let, unset, getopts", Variables).valued("-d -i -n -N -p -t -u -a"),
    form("set, shopt", Text).acts(&[("-a -k -p", Changes)]),
    form("date", Text).valued("-d -f -r -s --date --file --set").acts(&[("-s --set", Changes), ("-f --file", Reads)]),
    form("hostname", Change).acts(&[("-F --file -b --boot", Changes)]),
    form("ls, dir, cat, tac, wc, stat, du, df, cut, paste, join, comm, cmp, nl, rev, fold, fmt, expand, unexpand, column, od, hexdump, hd, strings, md5sum, sha1sum, sha224sum, sha256sum, sha384sum, sha512sum, b2sum, cksum, sum, base64, base32, realpath, readlink, nm, objdump, readelf, size, ldd, zcat, bzcat, xzcat, zstdcat, lsof, pgrep, ps, free, lscpu, tsort", Files).acts(&[("--files0-from", Reads)]),
    form("head, tail", Files).valued("-n -c --lines --bytes"),
    form("tr", Text),
    form("diff", Files).valued("-U -C -I -x -X --from-file --to-file").acts(&[("--from-file --to-file", Reads)]),
    form("file", Files).acts(&[("-C --compile", Changes), ("-m -f", Reads)]).valued("-m -f -e -F -P"),
    form("xxd", ReadThenWritten).valued("-c -g -l -s -o -n"),
    form("uniq", ReadThenWritten).valued("-f -s -w"),
    form("sort", Files).valued("-k -t -o -S -T --output --key --compress-program").acts(&[("-o --output -T --temporary-directory", Writes), ("--compress-program", Runs), ("--files0-from", Reads)]),
    form("shuf", Files).valued("-n -o -i").acts(&[("-o --output", Writes)]),
    form("tree", Files).valued("-L -P -I -o -H -T").acts(&[("-o --output", Writes), ("-R", Changes)]),
    form("grep, egrep, fgrep, zgrep", TextThenFiles("-e -f --regexp --file")).valued("-e -f -m -A -B -C -d -D --regexp --file --include --exclude --exclude-dir --exclude-from --directories --max-count --after-context --before-context --context").acts(&[("-f --file", Reads)]),
    form("rg", TextThenFiles("-e -f --regexp --file --files")).valued("-e -f -m -A -B -C -g -t -T -r -d -j -E -M --pre --glob --iglob --type --type-not --type-add --regexp --file --max-count --after-context --before-context --context --max-depth --threads --encoding --replace --sort --sortr --color --max-columns --max-filesize").acts(&[("--pre --hostname-bin", Runs), ("-f --file --ignore-file", Reads)]),
    form("ag, ack", TextThenFiles("")).acts(&[("--pager --ackrc --output", Runs)]),
    form("fd, fdfind", TextThenFiles("")).valued("-e -t -d -E -S -j -o").acts(&[("-x --exec -X --exec-batch -l --list-details", Runs), ("-C --base-directory", Elsewhere)]),
    form("find", Files).one_dash().valued("-name -iname -path -ipath -type -mtime -mmin -size -maxdepth -mindepth -newer -regex -iregex -user -group -perm -fprint -fprint0 -fls -fprintf -wholename -printf -samefile -files0-from -regextype -empty0 -atime -ctime -links").acts(&[("-delete", Changes), ("-fprint -fprint0 -fls -fprintf", Writes), ("-exec -execdir -ok -okdir", Runs), ("-files0-from", Reads)]),
    form("jq, yq", TextThenFiles("-f --from-file")).valued("-f -L --arg --argjson --indent --from-file").acts(&[("-f --from-file -L", Reads), ("-i --inplace --in-place", Changes)]),
    form("sed", Sed).valued("-e -f -l --expression --file --line-length").acts(&[("-i --in-place", Changes), ("-f --file", Runs)]),
    form("awk, gawk, mawk, nawk", Awk).valued("-F -v -f -e -i -l -E -o -p -D -W").acts(&[("-f --file -i --include -l --load -E --exec -e --source -D --debug -W", Runs), ("-o --pretty-print -p --profile -d --dump-variables", Changes)]),
];
