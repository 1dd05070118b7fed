class Store {
    Store save(String text) {
        return this;
    }
}
