interface Connection {
    Connection header(String name);

    Connection.Request request();

    interface Base<T extends Base<T>> {
        T method(String name);

        String url();
    }

    interface Request extends Base<Request> {
        Request timeout(int millis);
    }
}
