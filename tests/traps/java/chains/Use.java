class Use {
    private final Client client = Client.open(); //-> Client.java:Client.open

    void run(Client given) {
        client.session().send("x").text(); //-> Client.java:Client.session, Client.java:Session.send, Client.java:Reply.text
        this.client.current.send("x"); //-> Client.java:Session.send
        given.with(1).with(2).session(); //-> Client.java:Client.with, Client.java:Client.with, Client.java:Client.session
        var session = given.session(); //-> Client.java:Client.session
        session.send("x"); //-> Client.java:Session.send
        Client.open().session().send("x").text().trim(); //-> Client.java:Client.open, Client.java:Client.session, Client.java:Session.send, Client.java:Reply.text, external
    }
}
