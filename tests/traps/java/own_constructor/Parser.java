class Parser {
    Parser(String text) {}

    Parser next() {
        return this;
    }

    void two(Parser other) {
        other.next(); //-> Parser.java:Parser.next
        Parser made = new Parser("x"); //-> Parser.java:Parser | Parser.java:Parser.Parser
        made.next(); //-> Parser.java:Parser.next
        other.next().next(); //-> Parser.java:Parser.next, Parser.java:Parser.next
    }
}
