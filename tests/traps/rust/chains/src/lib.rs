pub struct Reply;
pub struct Session;
pub struct Client {
    pub current: Session,
    other: Box<Session>,
}

impl Reply {
    pub fn text(&self) -> String {
        String::new() //-> external
    }
}

impl Session {
    pub fn send(&self, x: &str) -> Result<Reply, String> {
        Ok(Reply) //-> external
    }
}

impl Client {
    pub fn open() -> Option<Self> {
        None
    }

    pub fn session(&self) -> &Session {
        self.current.send("x"); //-> src/lib.rs:Session.send
        self.other.send("x"); //-> src/lib.rs:Session.send
        &self.current
    }

    pub fn with(self, x: i32) -> Self {
        self
    }
}

pub fn run(client: &Client) -> Result<String, String> {
    client.session().send("x")?.text(); //-> src/lib.rs:Client.session, src/lib.rs:Session.send, src/lib.rs:Reply.text
    client.current.send("x").unwrap().text(); //-> src/lib.rs:Session.send, external, src/lib.rs:Reply.text
    let session = client.session(); //-> src/lib.rs:Client.session
    session.send("x"); //-> src/lib.rs:Session.send
    if let Some(made) = Client::open() { //-> src/lib.rs:Client.open
        made.with(1).with(2).session(); //-> src/lib.rs:Client.with, src/lib.rs:Client.with, src/lib.rs:Client.session
    }
    let other = Client::open().ok_or("x")?; //-> src/lib.rs:Client.open, external
    other.session(); //-> src/lib.rs:Client.session
    Ok(String::new()) //-> external, external
}
