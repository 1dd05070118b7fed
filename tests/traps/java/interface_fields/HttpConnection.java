class HttpConnection implements Connection {
    private Connection.Request req;
    private final Store store = new Store(); //-> Store.java:Store

    HttpConnection(Connection.Request req) {
        this.req = req;
    }

    public Connection header(String name) {
        req.timeout(3); //-> Connection.java:Connection.Request.timeout possible HttpConnection.java:HttpConnection.Own.timeout
        req.url(); //-> Connection.java:Connection.Base.url possible HttpConnection.java:HttpConnection.Own.url
        this.req.url(); //-> Connection.java:Connection.Base.url possible HttpConnection.java:HttpConnection.Own.url
        store.save("a"); //-> Store.java:Store.save
        this.store.save("b").save("c"); //-> Store.java:Store.save, Store.java:Store.save
        request().timeout(4); //-> HttpConnection.java:HttpConnection.request, Connection.java:Connection.Request.timeout possible HttpConnection.java:HttpConnection.Own.timeout
        return this;
    }

    public Connection.Request request() {
        return req;
    }

    static class Shared {
        void log() {}

        void log(String text) {}
    }

    static class Own extends Shared implements Connection.Request {
        public Connection.Request method(String name) {
            log(); //-> HttpConnection.java:HttpConnection.Shared.log
            super.log(name); //-> HttpConnection.java:HttpConnection.Shared.log
            return this;
        }

        public String url() {
            return "";
        }

        public Connection.Request timeout(int millis) {
            return this;
        }
    }
}
