//! Table of programs that build, check or list a project, and of their options with further effects.

use super::{
    Form,
    Operands::Names,
    OptionEffect::{Changes, Elsewhere, Reads, Runs, Writes},
    form,
};

pub(super) const FORMS: &[Form] = &[
    form("cargo b, cargo bench, cargo build, cargo c, cargo check, cargo clippy, cargo d, cargo doc, cargo fmt, cargo metadata, cargo nextest, cargo t, cargo test, cargo tree", Names)
        .valued("--config -C --manifest-path --target-dir --artifact-dir --lockfile-path -p --package --bin --example --test --bench -F --features --target --profile -j --jobs --color --message-format -Z --config-file --tool-config-file")
        .acts(&[("--config -Z --open --config-file --tool-config-file", Runs), ("-C --manifest-path", Elsewhere), ("--target-dir --artifact-dir --out-dir --lockfile-path", Writes), ("--fix --allow-dirty --allow-staged", Changes)]),
    form("git commit, git add", Names)
        .valued("-m -F --message --file -t --template --author --date -C -c --reuse-message --reedit-message --fixup --squash --cleanup --trailer --pathspec-from-file --chmod")
        .acts(&[("--no-verify -n --amend -f --force", Changes), ("--exec -e --edit -i --interactive -p --patch -c --reedit-message -S --gpg-sign", Runs), ("-F --file -t --template --pathspec-from-file", Reads)]),
    form("go build, go test, go vet", Names)
        .one_dash()
        .valued("-o --o -run --run -bench --bench -count --count -tags --tags -timeout --timeout -p --p -parallel --parallel -cpu --cpu -coverprofile -cpuprofile -memprofile -mutexprofile -blockprofile -trace -outputdir -modfile")
        .acts(&[("-exec --exec -toolexec --toolexec -overlay --overlay -vettool --vettool -ldflags --ldflags -gcflags --gcflags -asmflags --asmflags -gccgoflags --gccgoflags -compiler --compiler -pkgdir --pkgdir", Runs), ("-C --C -modfile --modfile", Elsewhere), ("-o --o -coverprofile --coverprofile -cpuprofile --cpuprofile -memprofile --memprofile -mutexprofile --mutexprofile -blockprofile --blockprofile -trace --trace -outputdir --outputdir", Writes), ("-mod --mod", Changes)]),
    form("pytest, python -m pytest, python3 -m pytest, uv run pytest, poetry run pytest", Names)
        .valued("-k -m -r -n -p -c -o -W --deselect --ignore --maxfail --tb --durations --junitxml --junit-xml --log-file --basetemp --rootdir --confcutdir --override-ini --config-file")
        .acts(&[("-p -c --config-file -o --override-ini --rootdir --confcutdir --pyargs", Runs), ("--junitxml --junit-xml --log-file --debug --report-log", Writes), ("--basetemp --cache-clear", Changes), ("--pastebin", Elsewhere)]),
    form("python -m unittest, python3 -m unittest", Names).valued("-k -s -p -t"),
    form("mypy, python -m mypy, python3 -m mypy, uv run mypy", Names)
        .valued("-p -m -c --config-file --python-executable --custom-typeshed-dir --cache-dir --junit-xml --shadow-file --package --module --command")
        .acts(&[("-c --command --config-file --python-executable --custom-typeshed-dir --install-types", Runs), ("--cache-dir --junit-xml --any-exprs-report --cobertura-xml-report --html-report --linecount-report --linecoverage-report --lineprecision-report --txt-report --xml-report --xslt-html-report --xslt-txt-report", Writes)]),
    form("ruff check, ruff format, python -m ruff, python3 -m ruff, uv run ruff", Names)
        .valued("--config -o --output-file --cache-dir --select --ignore --extend-select")
        .acts(&[("-o --output-file --cache-dir", Writes), ("--config", Runs), ("--unsafe-fixes --add-noqa", Changes)]),
    form("black, python -m black, python3 -m black", Names).valued("-c --code --config -l -t").acts(&[("-c --code --config", Runs)]),
    form("flake8, python -m flake8, python3 -m flake8", Names)
        .valued("--config --append-config --output-file")
        .acts(&[("--config --append-config", Runs), ("--output-file --tee", Writes)]),
    form("pylint, python -m pylint, python3 -m pylint", Names)
        .valued("--init-hook --load-plugins --rcfile --output")
        .acts(&[("--init-hook --load-plugins --rcfile --generate-toml-config --generate-rcfile", Runs), ("--output", Writes)]),
    form("eslint, npx eslint", Names)
        .valued("-c --config --rulesdir --plugin --resolve-plugins-relative-to --parser -f --format -o --output-file --cache-file --cache-location")
        .acts(&[("-c --config --rulesdir --plugin --resolve-plugins-relative-to --parser -f --format --init -p --package --call", Runs), ("-o --output-file --cache-file --cache-location", Writes)]),
    form("prettier, npx prettier", Names)
        .valued("--config --plugin --ignore-path --cache-location -p --package")
        .acts(&[("--config --plugin --plugin-search-dir -p --package -c --call", Runs), ("--cache-location", Writes)]),
    form("jest, vitest, npx jest, npx vitest", Names)
        .valued("-c --config -t --testNamePattern --outputFile --coverageDirectory --root --dir -p --package")
        .acts(&[("-c --config --globalSetup --globalTeardown --setupFiles --setupFilesAfterEnv --testRunner --runner --transform --resolver --preset --environment --api --ui --reporter --reporters -p --package --call", Runs), ("--outputFile --coverageDirectory", Writes), ("--root --rootDir --dir -r", Elsewhere)]),
    form("tsc, npx tsc", Names)
        .valued("-p --project --outDir --outFile --declarationDir --tsBuildInfoFile --package")
        .acts(&[("-p --project", Reads), ("--package --call -c", Runs), ("--outDir --outFile --declarationDir --tsBuildInfoFile --generateTrace --generateCpuProfile", Writes), ("--init", Changes)]),
    form("bun test, bun run", Names)
        .valued("--preload -r --define -d --config -c --cwd --env-file -e --eval --print")
        .acts(&[("--preload -r --require --import --define -d --config -c --env-file -e --eval -p --print", Runs), ("--cwd", Elsewhere)]),
    form("npm ls, npm list, npm la, npm ll", Names)
        .valued("--prefix --depth -w --workspace")
        .acts(&[("--prefix -C --cwd", Elsewhere), ("--script-shell --node-options --globalconfig --userconfig", Runs), ("--cache --logs-dir", Writes)]),
    form("pip list, pip show, pip3 list, pip3 show", Names)
        .valued("--python --path --log --proxy --cert --cache-dir -i --index-url --extra-index-url -f --find-links --trusted-host --format --exclude --keyring-provider")
        .acts(&[("--python --keyring-provider", Runs), ("--log --cache-dir", Writes), ("--proxy -i --index-url --extra-index-url -f --find-links --trusted-host --pypi-url", Elsewhere)]),
    form("gh issue list, gh issue view, gh issue status, gh pr list, gh pr view, gh pr diff, gh pr checks, gh pr status, gh search issues, gh search prs, gh search repos, gh search code, gh search commits", Names)
        .valued("-R --repo -L --limit -s --state -l --label -a --assignee -A --author -S --search -q --jq -t --template --json -B --base -H --head --hostname")
        .acts(&[("-w --web", Runs), ("--hostname", Elsewhere)]),
];
