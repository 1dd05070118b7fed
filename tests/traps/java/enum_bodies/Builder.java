class Builder {
    private State state = State.START;

    void insert(Token token) {}

    void error(State state) {}

    boolean process(Token token, State next) {
        this.state = next;
        return state.process(token, this); //-> State.java:State.process possible State.java:State.START.process State.java:State.END.process
    }
}
