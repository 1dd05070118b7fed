//! What becomes of a file when a symbol in it is replaced, or code put beside it.

use toolpost_syntax::{Language, NoSymbol, change};
use toolpost_text::line_edit::Side;

const RUST: &str = "use a::b;\n\n/// Doc.\n#[derive(Debug)]\nstruct A {\n    x: u8,\n}\n\nimpl A {\n    /// One.\n    #[inline]\n    pub fn one(&self) -> u8 {\n        1\n    }\n\n    fn two() {}\n}\n";
const PYTHON: &str = "import a\n\n\nclass A:\n    \"\"\"Doc.\"\"\"\n\n    x = 1\n\n    # One.\n    @property\n    def one(self):\n        return 1\n\n    def two(self):\n        pass\n\n\ndef three():\n    return 3\n";
const TYPESCRIPT: &str = "/** Doc. */\n@dec()\nexport class A {\n  x = 1;\n\n  /** One. */\n  @log()\n  async one(a: string): Promise<void> {\n    await a;\n  }\n}\n\nexport const two = (a: number) => {\n  return a;\n};\n\nexport default function three() {}\n";
const JAVASCRIPT: &str = "class A {\n  one() {\n    return 1;\n  }\n}\n\nfunction two(a) {\n  return a;\n}\n";
const TSX: &str = "export function A() {\n  return <p>a</p>;\n}\n";
const GO: &str = "package a\n\n// T is.\ntype T struct {\n\ta int\n}\n\n// One does.\nfunc (t *T) One() int {\n\treturn 1\n}\n\nfunc Two() {}\n";
const JAVA: &str = "class A {\n    /** One. */\n    @Override\n    public int one() {\n        return 1;\n    }\n\n    int x = 1;\n}\n";
const C: &str = "struct S {\n  int a;\n};\n\n/* One. */\nint one(int a) {\n  return a;\n}\n";
const CPP: &str =
    "class A {\n public:\n  int one() { return 1; }\n  void two();\n};\n\nvoid A::two() {\n  one();\n}\n";
const RUBY: &str = "class A\n  # One.\n  def one\n    1\n  end\n\n  def two; end\nend\n";
const PHP: &str =
    "<?php\nclass A {\n    /** One. */\n    public function one($a) {\n        return $a;\n    }\n}\n";
const SWIFT: &str = "class A {\n    func one() -> Int {\n        return 1\n    }\n}\n";
const KOTLIN: &str = "class A {\n    // One.\n    fun one(): Int {\n        return 1\n    }\n}\n";
const SCALA: &str = "class A {\n  def one(a: Int): Int = {\n    a\n  }\n}\n";
const CSHARP: &str = "namespace N {\n    class A {\n        /// One.\n        [Test]\n        public int One() {\n            return 1;\n        }\n    }\n}\n";
const LUA: &str = "local function one(a)\n  return a\nend\n\nfunction M.two()\nend\n";
const ZIG: &str =
    "const A = struct {\n    x: u8,\n\n    /// One.\n    pub fn one() u8 {\n        return 1;\n    }\n};\n";
const BASH: &str = "# One.\none() {\n  echo 1\n}\n";
const JSON: &str = "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": 2\n  }\n}\n";
const MARKDOWN: &str = "# One\n\na\n\n## Two\n\nb\n\n## Three\n\nc\n";
const YAML: &str = "a: 1\nb:\n  c: 2\n";
const CRLF_FREE: &str = "fn a() {} // x\nfn b() {}\n";

use Side::{After, Before, Replace};

/// Each row: a language, a text, a name, where the code goes, the code, and the text afterwards.
const ROWS: &[(&str, &str, &str, Side, &str, &str)] = &[
    (
        "rust",
        RUST,
        "A.one",
        Replace,
        "pub fn one(&self) -> u8 {\n    2\n}",
        "use a::b;\n\n/// Doc.\n#[derive(Debug)]\nstruct A {\n    x: u8,\n}\n\nimpl A {\n    /// One.\n    #[inline]\n    pub fn one(&self) -> u8 {\n        2\n    }\n\n    fn two() {}\n}\n[kept the comment and the decorators before it]\n",
    ),
    (
        "rust",
        RUST,
        "A::one",
        Replace,
        "/// Two.\npub fn one(&self) -> u8 {\n    2\n}\n",
        "use a::b;\n\n/// Doc.\n#[derive(Debug)]\nstruct A {\n    x: u8,\n}\n\nimpl A {\n    /// Two.\n    #[inline]\n    pub fn one(&self) -> u8 {\n        2\n    }\n\n    fn two() {}\n}\n[kept the decorators before it]\n",
    ),
    (
        "rust",
        RUST,
        "one",
        Replace,
        "    #[cold]\n    fn one() {\n        2\n    }",
        "use a::b;\n\n/// Doc.\n#[derive(Debug)]\nstruct A {\n    x: u8,\n}\n\nimpl A {\n    /// One.\n    #[cold]\n    fn one() {\n        2\n    }\n\n    fn two() {}\n}\n[kept the comment before it]\n",
    ),
    (
        "rust",
        RUST,
        "one",
        Replace,
        "fn one() {\n        2\n    }",
        "use a::b;\n\n/// Doc.\n#[derive(Debug)]\nstruct A {\n    x: u8,\n}\n\nimpl A {\n    /// One.\n    #[inline]\n    fn one() {\n        2\n    }\n\n    fn two() {}\n}\n[kept the comment and the decorators before it]\n",
    ),
    (
        "rust",
        RUST,
        "A",
        Replace,
        "struct A;",
        "use a::b;\n\n/// Doc.\n#[derive(Debug)]\nstruct A;\n\nimpl A {\n    /// One.\n    #[inline]\n    pub fn one(&self) -> u8 {\n        1\n    }\n\n    fn two() {}\n}\n[kept the comment and the decorators before it]\n",
    ),
    (
        "rust",
        RUST,
        "two",
        Before,
        "fn zero() {\n    0\n}",
        "use a::b;\n\n/// Doc.\n#[derive(Debug)]\nstruct A {\n    x: u8,\n}\n\nimpl A {\n    /// One.\n    #[inline]\n    pub fn one(&self) -> u8 {\n        1\n    }\n\n    fn zero() {\n        0\n    }\n\n    fn two() {}\n}\n",
    ),
    (
        "rust",
        RUST,
        "one",
        After,
        "fn zero() {}",
        "use a::b;\n\n/// Doc.\n#[derive(Debug)]\nstruct A {\n    x: u8,\n}\n\nimpl A {\n    /// One.\n    #[inline]\n    pub fn one(&self) -> u8 {\n        1\n    }\n\n    fn zero() {}\n\n    fn two() {}\n}\n",
    ),
    (
        "rust",
        RUST,
        "A.x",
        After,
        "y: u8,",
        "use a::b;\n\n/// Doc.\n#[derive(Debug)]\nstruct A {\n    x: u8,\n    y: u8,\n}\n\nimpl A {\n    /// One.\n    #[inline]\n    pub fn one(&self) -> u8 {\n        1\n    }\n\n    fn two() {}\n}\n",
    ),
    (
        "rust",
        RUST,
        "two",
        Replace,
        "",
        "use a::b;\n\n/// Doc.\n#[derive(Debug)]\nstruct A {\n    x: u8,\n}\n\nimpl A {\n    /// One.\n    #[inline]\n    pub fn one(&self) -> u8 {\n        1\n    }\n}\n",
    ),
    ("rust", CRLF_FREE, "a", After, "fn c() {}", "fn a() {} // x\nfn c() {}\nfn b() {}\n"),
    (
        "rust",
        "enum E {\n    A,\n    B,\n}\n",
        "E.B",
        Before,
        "X",
        "enum E {\n    A,\n    X,\n    B,\n}\n[put a comma between the entries]\n",
    ),
    (
        "python",
        PYTHON,
        "A.one",
        Replace,
        "def one(self):\n    return 2",
        "import a\n\n\nclass A:\n    \"\"\"Doc.\"\"\"\n\n    x = 1\n\n    # One.\n    @property\n    def one(self):\n        return 2\n\n    def two(self):\n        pass\n\n\ndef three():\n    return 3\n[kept the comment and the decorators before it]\n",
    ),
    (
        "python",
        PYTHON,
        "A.one",
        Replace,
        "@cached\ndef one(self):\n    return \"\"\"a\nb\"\"\"",
        "import a\n\n\nclass A:\n    \"\"\"Doc.\"\"\"\n\n    x = 1\n\n    # One.\n    @cached\n    def one(self):\n        return \"\"\"a\nb\"\"\"\n\n    def two(self):\n        pass\n\n\ndef three():\n    return 3\n[kept the comment before it]\n",
    ),
    (
        "python",
        PYTHON,
        "A.one",
        Replace,
        "def one(self):\n        return 2",
        "import a\n\n\nclass A:\n    \"\"\"Doc.\"\"\"\n\n    x = 1\n\n    # One.\n    @property\n    def one(self):\n        return 2\n\n    def two(self):\n        pass\n\n\ndef three():\n    return 3\n[kept the comment and the decorators before it]\n",
    ),
    (
        "python",
        PYTHON,
        "three",
        Replace,
        "\tdef three():\n\t\treturn 4",
        "import a\n\n\nclass A:\n    \"\"\"Doc.\"\"\"\n\n    x = 1\n\n    # One.\n    @property\n    def one(self):\n        return 1\n\n    def two(self):\n        pass\n\n\ndef three():\n    return 4\n",
    ),
    (
        "python",
        PYTHON,
        "two",
        After,
        "def four(self):\n    \"\"\"Doc.\n\n    More.\n    \"\"\"\n    return 4",
        "import a\n\n\nclass A:\n    \"\"\"Doc.\"\"\"\n\n    x = 1\n\n    # One.\n    @property\n    def one(self):\n        return 1\n\n    def two(self):\n        pass\n\n    def four(self):\n        \"\"\"Doc.\n\n        More.\n        \"\"\"\n        return 4\n\n\ndef three():\n    return 3\n",
    ),
    (
        "python",
        PYTHON,
        "three",
        Before,
        "def four():\n    return 4",
        "import a\n\n\nclass A:\n    \"\"\"Doc.\"\"\"\n\n    x = 1\n\n    # One.\n    @property\n    def one(self):\n        return 1\n\n    def two(self):\n        pass\n\n\ndef four():\n    return 4\n\n\ndef three():\n    return 3\n",
    ),
    (
        "python",
        PYTHON,
        "three",
        After,
        "def four():\n    return 4",
        "import a\n\n\nclass A:\n    \"\"\"Doc.\"\"\"\n\n    x = 1\n\n    # One.\n    @property\n    def one(self):\n        return 1\n\n    def two(self):\n        pass\n\n\ndef three():\n    return 3\n\n\ndef four():\n    return 4\n",
    ),
    (
        "python",
        PYTHON,
        "A.x",
        Replace,
        "x = 2",
        "import a\n\n\nclass A:\n    \"\"\"Doc.\"\"\"\n\n    x = 2\n\n    # One.\n    @property\n    def one(self):\n        return 1\n\n    def two(self):\n        pass\n\n\ndef three():\n    return 3\n",
    ),
    (
        "typescript",
        TYPESCRIPT,
        "A.one",
        Replace,
        "async one(): Promise<void> {}",
        "/** Doc. */\n@dec()\nexport class A {\n  x = 1;\n\n  /** One. */\n  @log()\n  async one(): Promise<void> {}\n}\n\nexport const two = (a: number) => {\n  return a;\n};\n\nexport default function three() {}\n[kept the comment and the decorators before it]\n",
    ),
    (
        "typescript",
        TYPESCRIPT,
        "A.one",
        Replace,
        "/** Two. */\nasync one(): Promise<void> {}",
        "/** Doc. */\n@dec()\nexport class A {\n  x = 1;\n\n  /** Two. */\n  @log()\n  async one(): Promise<void> {}\n}\n\nexport const two = (a: number) => {\n  return a;\n};\n\nexport default function three() {}\n[kept the decorators before it]\n",
    ),
    (
        "typescript",
        TYPESCRIPT,
        "two",
        Replace,
        "const two = 2;",
        "/** Doc. */\n@dec()\nexport class A {\n  x = 1;\n\n  /** One. */\n  @log()\n  async one(a: string): Promise<void> {\n    await a;\n  }\n}\n\nexport const two = 2;\n\nexport default function three() {}\n[kept `export`]\n",
    ),
    (
        "typescript",
        TYPESCRIPT,
        "three",
        Replace,
        "function three() {\n  return 3;\n}",
        "/** Doc. */\n@dec()\nexport class A {\n  x = 1;\n\n  /** One. */\n  @log()\n  async one(a: string): Promise<void> {\n    await a;\n  }\n}\n\nexport const two = (a: number) => {\n  return a;\n};\n\nexport default function three() {\n  return 3;\n}\n[kept `export default`]\n",
    ),
    (
        "typescript",
        TYPESCRIPT,
        "A",
        Replace,
        "export class A {}",
        "/** Doc. */\n@dec()\nexport class A {}\n\nexport const two = (a: number) => {\n  return a;\n};\n\nexport default function three() {}\n[kept the comment and the decorators before it]\n",
    ),
    (
        "typescript",
        TYPESCRIPT,
        "one",
        Before,
        "zero() {\n  return `a\n  b`;\n}",
        "/** Doc. */\n@dec()\nexport class A {\n  x = 1;\n\n  zero() {\n    return `a\n  b`;\n  }\n\n  /** One. */\n  @log()\n  async one(a: string): Promise<void> {\n    await a;\n  }\n}\n\nexport const two = (a: number) => {\n  return a;\n};\n\nexport default function three() {}\n",
    ),
    (
        "typescript",
        TYPESCRIPT,
        "two",
        After,
        "export const four = 4;",
        "/** Doc. */\n@dec()\nexport class A {\n  x = 1;\n\n  /** One. */\n  @log()\n  async one(a: string): Promise<void> {\n    await a;\n  }\n}\n\nexport const two = (a: number) => {\n  return a;\n};\n\nexport const four = 4;\n\nexport default function three() {}\n",
    ),
    (
        "javascript",
        JAVASCRIPT,
        "A.one",
        Replace,
        "one() {\n  return 2;\n}",
        "class A {\n  one() {\n    return 2;\n  }\n}\n\nfunction two(a) {\n  return a;\n}\n",
    ),
    (
        "javascript",
        JAVASCRIPT,
        "two",
        Replace,
        "function two(a) { return \"$& $1\"; }",
        "class A {\n  one() {\n    return 1;\n  }\n}\n\nfunction two(a) { return \"$& $1\"; }\n",
    ),
    (
        "javascript",
        JAVASCRIPT,
        "A.one",
        After,
        "two() {\n  return 2;\n}",
        "class A {\n  one() {\n    return 1;\n  }\n\n  two() {\n    return 2;\n  }\n}\n\nfunction two(a) {\n  return a;\n}\n",
    ),
    (
        "javascript",
        JAVASCRIPT,
        "two",
        Before,
        "function zero() {}",
        "class A {\n  one() {\n    return 1;\n  }\n}\n\nfunction zero() {}\n\nfunction two(a) {\n  return a;\n}\n",
    ),
    (
        "tsx",
        TSX,
        "A",
        Replace,
        "function A() {\n  return <b>\n    a\n  </b>;\n}",
        "export function A() {\n  return <b>\n    a\n  </b>;\n}\n[kept `export`]\n",
    ),
    (
        "tsx",
        TSX,
        "A",
        Before,
        "const x = 1;",
        "const x = 1;\n\nexport function A() {\n  return <p>a</p>;\n}\n",
    ),
    (
        "tsx",
        TSX,
        "A",
        After,
        "export const B = () => <i />;",
        "export function A() {\n  return <p>a</p>;\n}\n\nexport const B = () => <i />;\n",
    ),
    (
        "go",
        GO,
        "T.One",
        Replace,
        "func (t *T) One() int {\n    return 2\n}",
        "package a\n\n// T is.\ntype T struct {\n\ta int\n}\n\n// One does.\nfunc (t *T) One() int {\n\treturn 2\n}\n\nfunc Two() {}\n[kept the comment before it]\n",
    ),
    (
        "go",
        GO,
        "(*T).One",
        After,
        "func (t *T) Three() {}",
        "package a\n\n// T is.\ntype T struct {\n\ta int\n}\n\n// One does.\nfunc (t *T) One() int {\n\treturn 1\n}\n\nfunc (t *T) Three() {}\n\nfunc Two() {}\n",
    ),
    (
        "go",
        GO,
        "Two",
        Before,
        "// Zero does.\nfunc Zero() {}",
        "package a\n\n// T is.\ntype T struct {\n\ta int\n}\n\n// One does.\nfunc (t *T) One() int {\n\treturn 1\n}\n\n// Zero does.\nfunc Zero() {}\n\nfunc Two() {}\n",
    ),
    (
        "go",
        GO,
        "T",
        Replace,
        "// T was.\ntype T struct{}",
        "package a\n\n// T was.\ntype T struct{}\n\n// One does.\nfunc (t *T) One() int {\n\treturn 1\n}\n\nfunc Two() {}\n",
    ),
    (
        "java",
        JAVA,
        "A.one",
        Replace,
        "public int one() {\n    return 2;\n}",
        "class A {\n    /** One. */\n    @Override\n    public int one() {\n        return 2;\n    }\n\n    int x = 1;\n}\n[kept the comment and the decorators before it]\n",
    ),
    (
        "java",
        JAVA,
        "A.one",
        Replace,
        "@Deprecated\npublic int one() { return 2; }",
        "class A {\n    /** One. */\n    @Deprecated\n    public int one() { return 2; }\n\n    int x = 1;\n}\n[kept the comment before it]\n",
    ),
    (
        "java",
        JAVA,
        "one",
        After,
        "int two() {\n    return 2;\n}",
        "class A {\n    /** One. */\n    @Override\n    public int one() {\n        return 1;\n    }\n\n    int two() {\n        return 2;\n    }\n\n    int x = 1;\n}\n",
    ),
    (
        "java",
        JAVA,
        "x",
        Before,
        "int y = 2;",
        "class A {\n    /** One. */\n    @Override\n    public int one() {\n        return 1;\n    }\n\n    int y = 2;\n\n    int x = 1;\n}\n",
    ),
    (
        "c",
        C,
        "one",
        Replace,
        "int one(void) {\n  return 1;\n}",
        "struct S {\n  int a;\n};\n\n/* One. */\nint one(void) {\n  return 1;\n}\n[kept the comment before it]\n",
    ),
    (
        "c",
        C,
        "S",
        Replace,
        "struct S {\n  int b;\n};",
        "struct S {\n  int b;\n};\n\n/* One. */\nint one(int a) {\n  return a;\n}\n",
    ),
    (
        "c",
        C,
        "one",
        Before,
        "int zero;",
        "struct S {\n  int a;\n};\n\nint zero;\n\n/* One. */\nint one(int a) {\n  return a;\n}\n",
    ),
    (
        "c",
        C,
        "one",
        After,
        "int two(void) { return 2; }",
        "struct S {\n  int a;\n};\n\n/* One. */\nint one(int a) {\n  return a;\n}\n\nint two(void) { return 2; }\n",
    ),
    (
        "cpp",
        CPP,
        "A::one",
        Replace,
        "int one() { return 2; }",
        "class A {\n public:\n  int one() { return 2; }\n  void two();\n};\n\nvoid A::two() {\n  one();\n}\n",
    ),
    (
        "cpp",
        CPP,
        "A::two",
        Replace,
        "void A::two() {\n  return;\n}",
        "class A {\n public:\n  int one() { return 1; }\n  void two();\n};\n\nvoid A::two() {\n  return;\n}\n",
    ),
    (
        "cpp",
        CPP,
        "A::one",
        Before,
        "int zero();",
        "class A {\n public:\n  int zero();\n  int one() { return 1; }\n  void two();\n};\n\nvoid A::two() {\n  one();\n}\n",
    ),
    (
        "cpp",
        CPP,
        "A::one",
        After,
        "int three();",
        "class A {\n public:\n  int one() { return 1; }\n  int three();\n  void two();\n};\n\nvoid A::two() {\n  one();\n}\n",
    ),
    (
        "ruby",
        RUBY,
        "A.one",
        Replace,
        "def one\n  2\nend",
        "class A\n  # One.\n  def one\n    2\n  end\n\n  def two; end\nend\n[kept the comment before it]\n",
    ),
    (
        "ruby",
        RUBY,
        "A#one",
        Before,
        "def zero\n  0\nend",
        "class A\n  def zero\n    0\n  end\n\n  # One.\n  def one\n    1\n  end\n\n  def two; end\nend\n",
    ),
    (
        "ruby",
        RUBY,
        "A.one",
        After,
        "def three\n  3\nend",
        "class A\n  # One.\n  def one\n    1\n  end\n\n  def three\n    3\n  end\n\n  def two; end\nend\n",
    ),
    (
        "php",
        PHP,
        "A.one",
        Replace,
        "public function one() {\n    return '$1';\n}",
        "<?php\nclass A {\n    /** One. */\n    public function one() {\n        return '$1';\n    }\n}\n[kept the comment before it]\n",
    ),
    (
        "php",
        PHP,
        "A::one",
        Before,
        "private $x = 1;",
        "<?php\nclass A {\n    private $x = 1;\n\n    /** One. */\n    public function one($a) {\n        return $a;\n    }\n}\n",
    ),
    (
        "php",
        PHP,
        "one",
        After,
        "function two() {}",
        "<?php\nclass A {\n    /** One. */\n    public function one($a) {\n        return $a;\n    }\n\n    function two() {}\n}\n",
    ),
    (
        "swift",
        SWIFT,
        "A.one",
        Replace,
        "func one() -> Int {\n    2\n}",
        "class A {\n    func one() -> Int {\n        2\n    }\n}\n",
    ),
    (
        "swift",
        SWIFT,
        "A.one",
        Before,
        "let x = 1",
        "class A {\n    let x = 1\n\n    func one() -> Int {\n        return 1\n    }\n}\n",
    ),
    (
        "swift",
        SWIFT,
        "A.one",
        After,
        "func two() {\n}",
        "class A {\n    func one() -> Int {\n        return 1\n    }\n\n    func two() {\n    }\n}\n",
    ),
    (
        "kotlin",
        KOTLIN,
        "A.one",
        Replace,
        "fun one() = 2",
        "class A {\n    // One.\n    fun one() = 2\n}\n[kept the comment before it]\n",
    ),
    (
        "kotlin",
        KOTLIN,
        "A.one",
        Before,
        "val x = 1",
        "class A {\n    val x = 1\n\n    // One.\n    fun one(): Int {\n        return 1\n    }\n}\n",
    ),
    (
        "kotlin",
        KOTLIN,
        "A.one",
        After,
        "fun two() {\n}",
        "class A {\n    // One.\n    fun one(): Int {\n        return 1\n    }\n\n    fun two() {\n    }\n}\n",
    ),
    (
        "scala",
        SCALA,
        "A.one",
        Replace,
        "def one(a: Int): Int = a",
        "class A {\n  def one(a: Int): Int = a\n}\n",
    ),
    (
        "scala",
        SCALA,
        "A.one",
        Before,
        "val x = 1",
        "class A {\n  val x = 1\n\n  def one(a: Int): Int = {\n    a\n  }\n}\n",
    ),
    (
        "scala",
        SCALA,
        "A.one",
        After,
        "def two = 2",
        "class A {\n  def one(a: Int): Int = {\n    a\n  }\n\n  def two = 2\n}\n",
    ),
    (
        "csharp",
        CSHARP,
        "A.One",
        Replace,
        "public int One() {\n    return 2;\n}",
        "namespace N {\n    class A {\n        /// One.\n        [Test]\n        public int One() {\n            return 2;\n        }\n    }\n}\n[kept the comment and the decorators before it]\n",
    ),
    (
        "csharp",
        CSHARP,
        "N.A.One",
        Before,
        "int x = 1;",
        "namespace N {\n    class A {\n        int x = 1;\n\n        /// One.\n        [Test]\n        public int One() {\n            return 1;\n        }\n    }\n}\n",
    ),
    (
        "csharp",
        CSHARP,
        "One",
        After,
        "int Two() {\n    return 2;\n}",
        "namespace N {\n    class A {\n        /// One.\n        [Test]\n        public int One() {\n            return 1;\n        }\n\n        int Two() {\n            return 2;\n        }\n    }\n}\n",
    ),
    (
        "lua",
        LUA,
        "one",
        Replace,
        "local function one(a)\n  return 2\nend",
        "local function one(a)\n  return 2\nend\n\nfunction M.two()\nend\n",
    ),
    (
        "lua",
        LUA,
        "M.two",
        Replace,
        "function M.two()\n  return 2\nend",
        "local function one(a)\n  return a\nend\n\nfunction M.two()\n  return 2\nend\n",
    ),
    (
        "lua",
        LUA,
        "one",
        Before,
        "local x = 1",
        "local x = 1\n\nlocal function one(a)\n  return a\nend\n\nfunction M.two()\nend\n",
    ),
    (
        "lua",
        LUA,
        "one",
        After,
        "local function three()\nend",
        "local function one(a)\n  return a\nend\n\nlocal function three()\nend\n\nfunction M.two()\nend\n",
    ),
    (
        "zig",
        ZIG,
        "A.one",
        Replace,
        "pub fn one() u8 {\n    return 2;\n}",
        "const A = struct {\n    x: u8,\n\n    /// One.\n    pub fn one() u8 {\n        return 2;\n    }\n};\n[kept the comment before it]\n",
    ),
    (
        "zig",
        ZIG,
        "A.one",
        Before,
        "fn zero() void {}",
        "const A = struct {\n    x: u8,\n\n    fn zero() void {}\n\n    /// One.\n    pub fn one() u8 {\n        return 1;\n    }\n};\n",
    ),
    (
        "zig",
        ZIG,
        "A.one",
        After,
        "fn two() void {}",
        "const A = struct {\n    x: u8,\n\n    /// One.\n    pub fn one() u8 {\n        return 1;\n    }\n\n    fn two() void {}\n};\n",
    ),
    (
        "bash",
        BASH,
        "one",
        Replace,
        "one() {\n  echo 2\n}",
        "# One.\none() {\n  echo 2\n}\n[kept the comment before it]\n",
    ),
    (
        "bash",
        BASH,
        "one",
        Before,
        "zero() {\n  echo 0\n}",
        "zero() {\n  echo 0\n}\n\n# One.\none() {\n  echo 1\n}\n",
    ),
    (
        "bash",
        BASH,
        "one",
        After,
        "two() {\n  echo 2\n}",
        "# One.\none() {\n  echo 1\n}\n\ntwo() {\n  echo 2\n}\n",
    ),
    ("json", JSON, "b.c", Replace, "\"c\": 3", "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": 3\n  }\n}\n"),
    (
        "json",
        JSON,
        "a",
        After,
        "\"x\": 1",
        "{\n  \"a\": 1,\n  \"x\": 1,\n  \"b\": {\n    \"c\": 2\n  }\n}\n[put a comma between the entries]\n",
    ),
    (
        "json",
        JSON,
        "b",
        After,
        "\"x\": 1",
        "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": 2\n  },\n  \"x\": 1\n}\n[put a comma between the entries]\n",
    ),
    (
        "json",
        JSON,
        "a",
        Before,
        "\"x\": 1,",
        "{\n  \"x\": 1,\n  \"a\": 1,\n  \"b\": {\n    \"c\": 2\n  }\n}\n",
    ),
    ("markdown", MARKDOWN, "Two", Replace, "## Two\n\nnew", "# One\n\na\n\n## Two\n\nnew\n\n## Three\n\nc\n"),
    (
        "markdown",
        MARKDOWN,
        "Two",
        Before,
        "## Zero\n\nx",
        "# One\n\na\n\n## Zero\n\nx\n\n## Two\n\nb\n\n## Three\n\nc\n",
    ),
    (
        "markdown",
        MARKDOWN,
        "One.Two",
        After,
        "## Zero\n\nx",
        "# One\n\na\n\n## Two\n\nb\n\n## Zero\n\nx\n\n## Three\n\nc\n",
    ),
    ("yaml", YAML, "b.c", Replace, "c: 3", "a: 1\nb:\n  c: 3\n"),
    ("yaml", YAML, "a", After, "x: 1", "a: 1\nx: 1\nb:\n  c: 2\n"),
];

#[test]
fn symbols_are_changed() {
    let mut wrong = Vec::new();
    for (language, text, name, side, new, wanted) in ROWS {
        let got = got(language, text, name, *side, new);
        if got != *wanted {
            wrong.push(format!("{language}: {name} {side:?} {new:?}:\n{got}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

fn got(language: &str, text: &str, name: &str, side: Side, new: &str) -> String {
    let language = Language::of_name(language).unwrap_or_else(|| panic!("{language}"));
    match change(language, text, name, side, new) {
        Ok(edited) => {
            let range = edited.splice.range;
            let notes: String = edited.notes.iter().map(|note| format!("[{note}]\n")).collect();
            format!("{}{}{}{notes}", &text[..range.start], edited.splice.new, &text[range.end..])
        }
        Err(error) => panic!("{name}: {error}"),
    }
}

#[test]
fn names_that_mean_no_symbol_change_nothing() {
    let rows = [
        ("rust", "fn run() {}\n", "walk", Replace, "nothing in it is called walk"),
        ("rust", RUST, "on", Replace, "nothing in it is called on"),
        (
            "rust",
            "impl A { fn run() {} }\nimpl B { fn run() {} }\n",
            "run",
            Replace,
            "2 symbols in it are called run",
        ),
        ("javascript", "const a = 1, b = 2;\n", "b", Replace, "b is defined in one statement with a"),
        (
            "javascript",
            "class A { one() {} two() {} }\n",
            "A.one",
            After,
            "A.one stands on line 1 together with other code",
        ),
        (
            "javascript",
            "class A { one() {} two() {} }\n",
            "A.two",
            Before,
            "A.two stands on line 1 together with other code",
        ),
        ("javascript", "function a() {}\n", "a", After, "there is no code to put beside a"),
    ];
    for (language, text, name, side, wanted) in rows {
        let Some(language) = Language::of_name(language) else { panic!("{language}") };
        let new = if wanted.starts_with("there is no code") { "\n" } else { "x" };
        let error = change(language, text, name, side, new).map_err(|error| error.to_string());
        assert_eq!(error, Err(wanted.to_owned()), "{text}");
    }
    let several = change(
        Language::of_name("java").unwrap_or_else(|| panic!("java")),
        "class A {\n  int a() { return 1; }\n  int a(int b) {\n    return b;\n  }\n}\n",
        "A.a",
        Replace,
        "x",
    );
    let Err(NoSymbol::Several { all, .. }) = several else { panic!("{several:?}") };
    let all: Vec<_> =
        all.iter().map(|one| (one.words.as_str(), one.name.as_str(), one.first, one.last)).collect();
    assert_eq!(all, [("function A.a~1", "A.a~1", 2, 2), ("function A.a~2", "A.a~2", 3, 5)]);
}
