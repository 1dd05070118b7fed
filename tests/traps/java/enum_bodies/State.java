enum State {
    START {
        @Override
        boolean process(Token token, Builder builder) {
            builder.insert(token); //-> Builder.java:Builder.insert
            if (token.isStart()) { //-> Token.java:Token.isStart
                return builder.process(token, END); //-> Builder.java:Builder.process
            }
            return anything(token, builder); //-> State.java:State.START.anything
        }

        private boolean anything(Token token, Builder builder) {
            builder.error(this); //-> Builder.java:Builder.error
            return helper(token); //-> State.java:State.helper
        }
    },
    END {
        @Override
        boolean process(Token token, Builder builder) {
            return anything(token); //-> State.java:State.END.anything
        }

        private boolean anything(Token token) {
            return token.isStart(); //-> Token.java:Token.isStart
        }
    };

    abstract boolean process(Token token, Builder builder);

    static boolean helper(Token token) {
        return false;
    }
}
