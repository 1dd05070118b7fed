//! A host with targets of escape attempts, for the tests of the sandbox.

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::{World, own};
use toolpost_process::{
    Available, Environment, Job, Launch, Means, Plan, Program, Sandbox, WaitCondition, inner_step_of,
};

/// The targets of the escape attempts, and the files of the host.
pub struct Host {
    pub world: World,
    base: tempfile::TempDir,
    pub daemon: Child,
    pub tcp: TcpListener,
    pub udp: UdpSocket,
    pub name: String,
    _sockets: [UnixListener; 2],
    shared: PathBuf,
}

impl Host {
    pub fn new() -> Self {
        // The base directory is in `/var/tmp`, because projects are outside `/tmp`, and often outside the
        // home directory.
        inner_step_of(&example("confined"));
        let base = tempfile::Builder::new().prefix("sandbox").tempdir_in("/var/tmp").unwrap();
        let at = |path: &str| base.path().join(path);
        let folders =
            ["work/.git/hooks", "work/.git/info", "work/.idea", "home/.ssh", "outside", "temporary"];
        let below = ["sub/.git/hooks", ".git/modules/m/objects", ".git/modules/m/refs", "pkg/.vscode"];
        for folder in folders.map(str::to_owned).into_iter().chain(below.map(|below| format!("work/{below}")))
        {
            fs::create_dir_all(at(&folder)).unwrap();
        }
        for file in ["work/sub/.git/config", "work/.git/modules/m/HEAD", "work/.git/modules/m/config"] {
            fs::write(at(file), "").unwrap();
        }
        for file in ["work/.git/config", "work/.git/HEAD", "home/.ssh/id", "outside/file"] {
            fs::write(at(file), "SECRET\n").unwrap();
        }
        fs::set_permissions(base.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let seconds = format!("9{}4", std::process::id());
        let mut daemon = Command::new("sleep");
        daemon.arg(seconds).env("HIDDEN", "SECRET").stdin(Stdio::null());
        let name = base.path().file_name().unwrap().to_string_lossy().into_owned();
        let shared = Path::new("/dev/shm").join(&name);
        fs::write(&shared, "SECRET\n").unwrap();
        let abstract_name = SocketAddr::from_abstract_name(&name).unwrap();
        let sockets = [
            UnixListener::bind_addr(&abstract_name).unwrap(),
            UnixListener::bind(at("outside/d.sock")).unwrap(),
        ];
        Self {
            world: World::new(),
            daemon: daemon.spawn().unwrap(),
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
            name,
            _sockets: sockets,
            shared,
            base,
        }
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.base.path().join(path)
    }

    pub fn plan(&self, means: Means) -> Plan {
        let mut plan = Plan::new([self.at("work")]);
        plan.protected = [".mcp.json", ".vscode", ".idea", ".envrc", ".gitmodules"].map(Into::into).into();
        plan.readable = vec![example("probe"), example("confined")];
        plan.temporary = Some(self.at("temporary"));
        plan.means = means;
        plan
    }

    pub fn launch(&self, line: &str, sandbox: Sandbox) -> Launch {
        let mut launch = Launch::new(Program::line(own(line)), self.at("work"));
        let own = std::env::vars_os();
        let environment = Environment::from(own.chain([("API_TOKEN".into(), "SECRET".into())]));
        let ports =
            [("TCP", self.tcp.local_addr().unwrap().port()), ("UDP", self.udp.local_addr().unwrap().port())];
        launch.environment = environment
            .with("HOME", self.at("home"))
            .with("OUT", self.at("outside"))
            .with("DAEMON", self.daemon.id().to_string())
            .with("NAME", &self.name)
            .with("PROBE", example("probe"))
            .with("CONFINED", example("confined"));
        for (name, port) in ports {
            launch.environment = launch.environment.with(name, port.to_string());
        }
        launch.sandbox = sandbox;
        launch
    }

    pub fn run(&self, launch: &Launch) -> Job {
        let job = self.world.start(launch);
        self.world.wait(&job, WaitCondition::Ended);
        job
    }

    /// Lists the paths in the root, in the repository, and in the host's directories.
    pub fn state(&self) -> Vec<String> {
        let mut state: Vec<String> =
            ["work", "work/.git", "work/.git/info", "work/.git/hooks", "home", "outside"]
                .iter()
                .flat_map(|folder| fs::read_dir(self.at(folder)).unwrap().map(|entry| entry.unwrap().path()))
                .map(|path| path.strip_prefix(self.base.path()).unwrap().display().to_string())
                .collect();
        state.sort();
        state
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
        let _ = fs::remove_file(&self.shared);
    }
}

pub fn example(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.parent().unwrap().parent().unwrap().join("examples").join(name)
}

/// Returns true and prints a message if a mechanism is unavailable; checks that the reason was recorded.
pub fn is_missing(means: Means) -> bool {
    inner_step_of(&example("confined"));
    let found = Available::up_to(means);
    if found.means == means {
        return false;
    }
    let why = found.failed.iter().find(|(failed, _)| *failed == means);
    let (_, why) = why.expect("a mechanism that is not available was tried, with a reason");
    assert_ne!(why, "");
    toolpost_test_rows::skip(&format!("{} is not available: {why}", means.name()));
    true
}
