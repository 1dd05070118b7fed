class Token {
    boolean isStart() {
        return true;
    }
}
