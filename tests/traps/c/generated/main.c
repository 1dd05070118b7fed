int parse(int x);
int lex(int x);
int main(void) { return parse(lex(1)); } //-> parser.c:parse | main.c:parse, lexer.c:lex | main.c:lex
