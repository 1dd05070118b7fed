class Parser
{
    public Parser(string text) { }

    public Parser Next() { return this; }

    public void Two(Parser other)
    {
        other.Next(); //-> Parser.cs:Parser.Next
        new Parser("x"); //-> Parser.cs:Parser | Parser.cs:Parser.Parser
        other.Next().Next(); //-> Parser.cs:Parser.Next, Parser.cs:Parser.Next
    }
}
