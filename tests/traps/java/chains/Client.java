class Client {
    Session current;

    Session session() {
        return current;
    }

    Client with(int x) {
        return this;
    }

    static Client open() {
        return new Client(); //-> Client.java:Client
    }
}

class Session {
    Reply send(String x) {
        return new Reply(); //-> Client.java:Reply
    }
}

class Reply {
    String text() {
        return "";
    }
}
