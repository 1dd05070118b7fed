//! Language-specific rules of name resolution.

mod core;

/// The module system of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    Python,
    Ecma,
    Rust,
    Go,
    C,
    Java,
    /// A language without module resolution.
    None,
}

/// The rules of a language.
#[derive(Debug)]
pub(crate) struct Rules {
    /// The module system.
    pub(crate) family: Family,
    /// Set if methods can use the members of their class without naming the object.
    pub(crate) bare_members: bool,
    /// Transparent wrapper types, with the position of the wrapped type among their type arguments.
    pub(crate) wrappers: &'static [(&'static str, usize)],
    /// Members of wrapper types that belong to the wrapper itself, separated by spaces.
    pub(crate) of_wrapper: &'static str,
    /// Methods of containers and wrappers that return an element.
    pub(crate) gives_held: &'static str,
    /// Methods of containers and wrappers that return one with the same elements.
    pub(crate) gives_same: &'static str,
    /// Methods of containers and wrappers that call a function with an element.
    pub(crate) hands_held: &'static str,
    /// Methods of containers that call a function with an element as the second argument.
    pub(crate) hands_second: &'static str,
    /// Names of function types of the language, whose type arguments are the parameters.
    pub(crate) functions: &'static str,
    /// Names so common that a single definition in the workspace does not prove what a use means.
    pub(crate) common: &'static str,
    /// Names of the standard library. As for `common`, a single definition does not prove what a use means.
    pub(crate) core: &'static str,
    /// Members that every object of the language has.
    pub(crate) universal: &'static str,
}

/// Names of methods of the built-in types of many languages.
const COMMON: &str = "get set add append pop push remove clear update keys values items copy join split strip replace \
    format encode decode read write close open seek flush find index count insert extend sort reverse map \
    filter reduce forEach some every includes slice splice concat indexOf has delete then catch finally \
    toString trim match test exec bind call apply log error warn info debug on off once emit next size \
    length len iter clone into from unwrap expect new default contains start stop run send recv wait \
    lower upper startswith endswith isEmpty equals hashCode stream collect put name parse load loads dump \
    dumps group search sub exists is_empty as_str to_string push_str is_some is_none ok err lock min max \
    abs sum any all init reset done result cancel exit connect execute fetch commit rollback submit sleep \
    setdefault popitem fromkeys casefold capitalize center expandtabs isalnum isalpha isascii isdecimal \
    isdigit isidentifier islower isnumeric isprintable isspace istitle isupper ljust lstrip maketrans \
    partition removeprefix removesuffix rfind rindex rjust rpartition rsplit rstrip splitlines swapcase \
    title translate zfill difference intersection union issubset issuperset symmetric_difference discard \
    popleft appendleft extendleft rotate most_common elements resolve joinpath mkdir rmdir unlink rename \
    glob rglob iterdir read_text write_text read_bytes write_bytes is_file is_dir touch stat with_suffix \
    with_name relative_to as_posix readline readlines writelines truncate fileno isatty tell acquire \
    release notify total_seconds isoformat strftime strptime timestamp date time fetchone fetchall \
    fetchmany cursor hexdigest digest setattr delattr setenv delenv chdir addHandler setLevel exception \
    critical with_traceback throw exec_module load_module create_module toUpperCase toLowerCase toFixed \
    toISOString charAt charCodeAt codePointAt substring substr padStart padEnd repeat startsWith endsWith \
    trimStart trimEnd localeCompare normalize matchAll replaceAll flat flatMap fill findIndex findLast \
    lastIndexOf reduceRight unshift shift entries valueOf hasOwnProperty addEventListener \
    removeEventListener dispatchEvent appendChild querySelector getAttribute setAttribute abort subscribe \
    unsubscribe complete isSome isNone and_then map_err ok_or unwrap_or unwrap_or_else unwrap_or_default \
    as_ref as_mut as_bytes as_slice to_owned to_vec iter_mut into_iter enumerate zip rev skip take chain \
    fold for_each position chars bytes lines trim_start trim_end starts_with ends_with splitn split_at \
    split_whitespace to_lowercase to_uppercase eq ne cmp partial_cmp lt le gt ge hash fmt drop deref \
    deref_mut borrow borrow_mut try_from try_into checked_add checked_sub checked_mul wrapping_add \
    saturating_sub saturating_add write_str write_fmt write_all read_to_end read_to_string read_line \
    sort_by sort_by_key sort_unstable dedup retain drain resize reserve with_capacity capacity swap \
    swap_remove first last get_mut entry or_insert or_insert_with or_default contains_key Error String \
    Unwrap Is As Close Read Write Len Less Swap Lock Unlock RLock RUnlock Add Done Wait Get Set Scan Next \
    Err Errorf Fatalf Fatal Logf Log Run Helper Println Printf Sprintf containsKey containsValue entrySet \
    keySet putIfAbsent computeIfAbsent getOrDefault addAll removeAll iterator hasNext compareTo getClass \
    getName getMessage printStackTrace orElse isPresent ifPresent begin end push_back emplace_back \
    pop_back front back c_str";

/// The rules of a language without wrapper types and without known methods of containers.
const PLAIN: Rules = Rules {
    family: Family::None,
    bare_members: false,
    wrappers: &[],
    of_wrapper: "",
    gives_held: "",
    gives_same: "",
    hands_held: "",
    hands_second: "",
    functions: "",
    common: COMMON,
    core: "",
    universal: "",
};

const PYTHON: Rules = Rules {
    family: Family::Python,
    wrappers: &[
        ("Optional", 0),
        ("Final", 0),
        ("ClassVar", 0),
        ("Annotated", 0),
        ("Awaitable", 0),
        ("Coroutine", 2),
        ("Required", 0),
        ("NotRequired", 0),
        ("ContextManager", 0),
        ("AbstractContextManager", 0),
        ("AsyncContextManager", 0),
    ],
    gives_held: "get pop popleft setdefault __getitem__ __next__",
    gives_same: "copy __iter__",
    universal: core::OBJECT_PYTHON,
    ..PLAIN
};

const ECMA: Rules = Rules {
    family: Family::Ecma,
    wrappers: &[
        ("Promise", 0),
        ("PromiseLike", 0),
        ("Readonly", 0),
        ("Partial", 0),
        ("Required", 0),
        ("NonNullable", 0),
        ("Awaited", 0),
        ("Omit", 0),
        ("Pick", 0),
        ("DeepReadonly", 0),
    ],
    of_wrapper: "then catch finally",
    gives_held: "find pop shift at get",
    gives_same: "filter slice concat reverse sort values",
    hands_held: "forEach map filter some every find findIndex findLast findLastIndex flatMap then",
    hands_second: "reduce reduceRight",
    universal: core::OBJECT_ECMA,
    ..PLAIN
};

const RUST: Rules = Rules {
    family: Family::Rust,
    wrappers: &[
        ("Box", 0),
        ("Rc", 0),
        ("Arc", 0),
        ("Option", 0),
        ("Result", 0),
        ("Cow", 0),
        ("Pin", 0),
        ("RefMut", 0),
        ("MutexGuard", 0),
        ("RwLockReadGuard", 0),
        ("RwLockWriteGuard", 0),
        ("Ref", 0),
    ],
    of_wrapper: "map map_err and_then or_else unwrap expect unwrap_or unwrap_or_else unwrap_or_default ok err is_some \
        is_none is_ok is_err as_ref as_mut as_deref as_deref_mut take replace insert get_or_insert_with ok_or \
        ok_or_else filter flatten zip iter cloned copied clone is_some_and is_none_or is_ok_and map_or \
        map_or_else and or xor transpose borrow borrow_mut inspect inspect_err unwrap_err expect_err iter_mut \
        into_iter",
    gives_held: "unwrap expect unwrap_or unwrap_or_else unwrap_or_default get get_mut first last pop next peek \
        last_mut first_mut remove borrow borrow_mut lock read write deref into_inner clone to_owned as_ref \
        as_mut as_deref as_deref_mut cloned copied take ok ok_or ok_or_else map_err or_else or inspect \
        unwrap_unchecked",
    gives_same: "iter iter_mut into_iter rev skip filter by_ref values values_mut drain peekable chain step_by \
        skip_while take_while as_slice as_mut_slice to_vec collect",
    hands_held: "map for_each filter any all find position filter_map flat_map inspect take_while skip_while map_while and_then is_some_and is_none_or is_ok_and map_or max_by_key min_by_key partition retain sort_by_key",
    hands_second: "fold try_fold",
    core: core::RUST,
    ..PLAIN
};

const GO: Rules = Rules { family: Family::Go, ..PLAIN };

const C: Rules = Rules {
    family: Family::C,
    bare_members: true,
    wrappers: &[
        ("unique_ptr", 0),
        ("shared_ptr", 0),
        ("weak_ptr", 0),
        ("optional", 0),
        ("reference_wrapper", 0),
    ],
    of_wrapper: "get reset release lock use_count has_value value value_or swap",
    gives_held: "get lock value front back at begin",
    ..PLAIN
};

const JAVA: Rules = Rules {
    family: Family::Java,
    bare_members: true,
    wrappers: &[("Optional", 0)],
    of_wrapper: "get orElse orElseThrow orElseGet isPresent isEmpty map filter flatMap ifPresent",
    gives_held: "get orElse orElseThrow orElseGet next remove poll peek pop getFirst",
    gives_same: "filter stream iterator values subList sorted distinct limit skip",
    hands_held: "forEach map filter flatMap anyMatch allMatch noneMatch peek ifPresent removeIf mapToInt mapToLong mapToDouble",
    functions: "Consumer Function Predicate BiConsumer BiFunction BiPredicate ToIntFunction ToLongFunction ToDoubleFunction",
    universal: core::OBJECT_JAVA,
    ..PLAIN
};

const OTHER: Rules = Rules { bare_members: true, core: core::OTHER, universal: core::OBJECT_OTHER, ..PLAIN };

/// Returns whether a name is in a space-separated list.
pub(crate) fn lists(names: &str, name: &str) -> bool {
    names.split(' ').any(|other| other == name)
}

/// Checks whether a name may be a global name that a program can use without an import. Any name with an upper-case
/// first letter may be a built-in type.
pub(crate) fn is_global(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_uppercase()) || lists(core::GLOBALS, name)
}

/// Checks whether a language has a built-in or standard type with this name.
pub(crate) fn is_global_type(name: &str) -> bool {
    lists(core::TYPES, name)
}

/// Returns the rules of a language.
pub(crate) fn of(language: &str) -> &'static Rules {
    match language {
        "python" => &PYTHON,
        "typescript" | "tsx" | "javascript" => &ECMA,
        "rust" => &RUST,
        "go" => &GO,
        "c" | "cpp" => &C,
        "java" => &JAVA,
        _ => &OTHER,
    }
}

/// Checks whether a name in the position of a type always denotes a type in a language, even if a value with that name
/// is nearer. In Python and Ruby, a type is a value.
pub(crate) fn keeps_types_apart(language: &str) -> bool {
    matches!(
        language,
        "rust" | "go" | "c" | "cpp" | "java" | "typescript" | "tsx" | "csharp" | "kotlin" | "scala" | "swift"
    )
}

/// Returns whether files of two languages can use one another's names.
pub(crate) fn together(one: &str, other: &str) -> bool {
    let family = |language: &str| of(language).family;
    one == other || (family(one) != Family::None && family(one) == family(other))
}
