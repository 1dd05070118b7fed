//! Names that the standard libraries of languages define.
//!
//! If a workspace has a single definition of such a name, a use of the name may still mean the standard one.

/// Methods of the Rust standard library and of widely used crates.
pub(super) const RUST: &str = "arg args env envs current_dir status output spawn stdin stdout stderr kill id \
    try_wait wait_with_output headers headers_mut body body_mut uri uri_mut method method_mut version extensions \
    extensions_mut into_parts into_body into_inner get_ref get_or_insert_with get_or_init ok_or_else is_ok is_err \
    is_some_and is_none_or is_ok_and unwrap_err expect_err flatten copied cloned inspect inspect_err zip unzip \
    map_or map_or_else or_else xor replace as_deref as_deref_mut transpose filter_map flat_map find_map scan \
    step_by peekable peek last nth count partition try_fold try_for_each cycle product sum max_by max_by_key \
    min_by min_by_key eq_ignore_ascii_case to_ascii_lowercase to_ascii_uppercase char_indices char bytes_mut \
    strip_prefix strip_suffix split_once rsplit_once split_terminator rsplitn split_inclusive matches \
    match_indices rmatches parse trim_matches trim_start_matches trim_end_matches insert_str remove_matches \
    chunks chunks_exact windows rchunks first_mut last_mut split_first split_last concat binary_search \
    binary_search_by partition_point rotate_left rotate_right copy_from_slice clone_from_slice extend_from_slice \
    append truncate split_off dedup_by dedup_by_key retain_mut shrink_to_fit try_reserve into_boxed_slice leak \
    entry and_modify or_insert_with_key retain drain keys into_keys values into_values values_mut range range_mut \
    pop_first pop_last push_front push_back pop_front front front_mut back back_mut make_contiguous \
    get_many_mut to_path_buf file_name file_stem extension parent components ancestors with_extension \
    with_file_name set_extension display exists is_absolute is_relative canonicalize metadata read_dir \
    file_type modified created permissions set_permissions as_os_str to_str to_string_lossy into_string \
    into_os_string elapsed duration_since as_secs as_millis as_micros as_nanos subsec_nanos as_secs_f64 \
    checked_duration_since saturating_duration_since load store swap compare_exchange fetch_add fetch_sub \
    fetch_or fetch_and fetch_update try_lock try_read try_write into_mutex is_poisoned notify_one notify_all \
    wait_timeout wait_while recv_timeout try_recv try_send downgrade upgrade ptr_eq strong_count weak_count \
    get_mut make_mut try_unwrap try_borrow try_borrow_mut replace_with with set_len pow powi powf sqrt floor \
    ceil round rem_euclid div_euclid leading_zeros trailing_zeros count_ones to_be_bytes to_le_bytes \
    to_ne_bytes from_be_bytes from_le_bytes is_alphabetic is_numeric is_alphanumeric is_whitespace is_uppercase \
    is_lowercase is_ascii is_ascii_digit is_digit to_digit len_utf8 encode_utf8 provide source description \
    downcast downcast_ref downcast_mut type_id by_ref bytes lines read_until read_exact read_vectored \
    write_vectored flush seek rewind stream_position take_while skip_while map_while chain copy join poll \
    poll_next poll_ready call then boxed map_ok and build finish field entries debug_struct debug_tuple \
    debug_list debug_map write_char alternate width precision pad serialize deserialize visit_str as_any";

/// Methods of the standard libraries and of common interfaces of PHP, Ruby, C#, Kotlin, Swift, Scala and similar
/// languages.
pub(super) const OTHER: &str = "getMessage getCode getPrevious getFile getLine getTrace getTraceAsString \
    __toString __construct __get __set __call __invoke offsetGet offsetSet offsetExists offsetUnset current key \
    next rewind valid getIterator getInnerIterator count jsonSerialize format modify getTimestamp setTimestamp \
    setTime setDate setTimezone getTimezone diff bindTo fromCallable newInstance newInstanceArgs getShortName \
    getProperties getMethods getParameters getReturnType getAttributes isInstance implementsInterface prepare \
    query execute fetchAll fetchColumn bindValue bindParam lastInsertId beginTransaction attach detach \
    getSize getContents eof tell isReadable isWritable isSeekable getStatusCode withStatus getReasonPhrase \
    getHeaders getHeader hasHeader getHeaderLine withHeader withAddedHeader withoutHeader getBody withBody \
    getProtocolVersion withProtocolVersion getMethod withMethod getUri withUri getRequestTarget \
    withRequestTarget getScheme getHost getPort getPath getQuery getFragment getUserInfo getAuthority \
    withScheme withHost withPort withPath withQuery withFragment withUserInfo \
    to_s to_str to_a to_ary to_h to_hash to_i to_f to_r to_c to_sym to_proc to_json to_yaml inspect respond_to? \
    is_a? kind_of? instance_of? nil? empty? any? all? none? one? include? member? key? has_key? value? \
    start_with? end_with? match? eql? equal? frozen? blank? present? respond_to_missing? method_missing tap \
    then itself dup freeze send public_send __send__ instance_variable_get instance_variable_set \
    instance_eval class_eval define_method method methods extend class each each_with_index each_with_object \
    each_pair each_key each_value each_slice each_cons each_char each_line each_byte map! collect collect! \
    select select! reject reject! find_all detect inject reduce sum sort_by sort! sort_by! min_by max_by \
    group_by partition zip flatten flatten! compact compact! uniq uniq! shuffle sample rotate first last take \
    drop take_while drop_while push pop shift unshift append prepend concat insert delete delete_at delete_if \
    keep_if fill index rindex values_at fetch dig store merge merge! update invert transform_values \
    transform_keys slice slice! except sub sub! gsub gsub! scan tr tr_s squeeze strip strip! lstrip rstrip chomp \
    chomp! chop chars bytes lines upcase upcase! downcase downcase! capitalize swapcase succ next pred ord chr hex \
    oct unpack unpack1 pack encode encode! force_encoding encoding valid_encoding? bytesize center ljust rjust \
    puts print p pp raise loop lambda proc require require_relative catch throw sleep rand srand gets exit abort \
    at_exit binding block_given? caller format sprintf printf Integer Float String Array Hash Rational call \
    yield arity curry step upto downto times floor ceil round truncate divmod modulo abs zero? positive? negative? \
    ToString Equals GetHashCode GetType Dispose DisposeAsync CompareTo Clone Add AddRange Remove RemoveAt \
    RemoveAll Clear Contains ContainsKey ContainsValue TryGetValue TryAdd Insert IndexOf LastIndexOf ToList \
    ToArray ToDictionary ToHashSet Select SelectMany Where Any All First FirstOrDefault Last LastOrDefault \
    Single SingleOrDefault OrderBy OrderByDescending ThenBy GroupBy Join Skip Take Distinct Union Intersect \
    Except Concat Zip Aggregate Sum Min Max Average Count Reverse Cast OfType AsEnumerable AsQueryable ForEach \
    Find FindAll Exists Sort Split Trim TrimStart TrimEnd StartsWith EndsWith Substring Replace ToLower ToUpper \
    ToLowerInvariant ToUpperInvariant PadLeft PadRight Format IsNullOrEmpty IsNullOrWhiteSpace Append AppendLine \
    AppendFormat Parse TryParse Invoke BeginInvoke EndInvoke ConfigureAwait GetAwaiter GetResult ContinueWith \
    Wait WaitAll WhenAll WhenAny Start Stop Cancel Read ReadAsync ReadLine ReadToEnd Write WriteAsync WriteLine \
    Flush FlushAsync Close Open Seek CopyTo CopyToAsync GetEnumerator MoveNext Reset GetValue SetValue \
    GetProperty GetMethod GetField GetCustomAttribute Push Pop Peek Enqueue Dequeue \
    let also run apply with takeIf takeUnless toList toSet toMap toMutableList toInt toLong toDouble mapNotNull \
    filterNot filterNotNull firstOrNull lastOrNull singleOrNull associate associateBy associateWith groupBy \
    joinToString isNullOrEmpty isNullOrBlank isBlank isNotBlank isNotEmpty orEmpty getOrNull getOrElse \
    getOrPut sortedBy sortedWith forEachIndexed mapIndexed flatMap fold foldRight zip unzip plus minus times div \
    compactMap reduce contains prefix suffix dropFirst dropLast removeFirst removeLast joined hasPrefix \
    hasSuffix uppercased lowercased append encode decode foreach foldLeft mkString headOption lastOption collectFirst";

/// Members of every Java object, and of every Java enumeration.
pub(super) const OBJECT_JAVA: &str = "equals hashCode toString getClass notify notifyAll wait clone finalize values valueOf ordinal name compareTo";

/// Members of every object and of every function of JavaScript.
pub(super) const OBJECT_ECMA: &str = "toString toLocaleString valueOf hasOwnProperty isPrototypeOf \
    propertyIsEnumerable call apply bind";

/// Members of every object of Python.
pub(super) const OBJECT_PYTHON: &str = "__init__ __new__ __repr__ __str__ __eq__ __ne__ __hash__ __getattribute__ \
    __setattr__ __delattr__ __dir__ __format__ __sizeof__ __reduce__ __reduce_ex__ __class__ __subclasses__ mro \
    __init_subclass__ __subclasshook__";

/// Members of every object of C#, Kotlin, PHP, Ruby and Scala.
pub(super) const OBJECT_OTHER: &str = "ToString Equals GetHashCode GetType MemberwiseClone toString equals hashCode \
    getClass object_id instance_variable_get instance_variable_set is_a? kind_of? respond_to? nil? frozen? freeze \
    dup tap send public_send __send__";

/// Global functions and variables that a program can use without an import, in any language.
pub(super) const GLOBALS: &str = "console window document process globalThis global self navigator location history \
    localStorage sessionStorage performance crypto module exports require fetch setTimeout setInterval setImmediate \
    clearTimeout clearInterval queueMicrotask structuredClone parseInt parseFloat isNaN isFinite encodeURIComponent \
    decodeURIComponent encodeURI decodeURI escape unescape alert describe it test expect beforeEach afterEach \
    beforeAll afterAll jest vi std core alloc proc_macro builtins abs all any ascii bin bool breakpoint bytearray bytes \
    callable chr classmethod compile complex delattr dict dir divmod enumerate eval exec filter float format \
    frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter len list locals map max \
    memoryview min next object oct open ord pow print property range repr reversed round set setattr slice sorted \
    staticmethod str sum super tuple type vars zip append cap clear close copy delete imag make new panic println real \
    recover string error";

/// Built-in and standard types of any language, most of which need no import.
pub(super) const TYPES: &str = "string number boolean bigint symbol object any unknown never void undefined null Object \
    Function Array ReadonlyArray Map ReadonlyMap Set ReadonlySet WeakMap WeakSet WeakRef Promise PromiseLike Record \
    Date RegExp Error TypeError RangeError SyntaxError Symbol String Number Boolean BigInt Math JSON Iterable Iterator \
    AsyncIterable AsyncIterator Generator AsyncGenerator ArrayBuffer SharedArrayBuffer DataView Uint8Array Int8Array \
    Uint16Array Int16Array Uint32Array Int32Array Float32Array Float64Array Buffer URL URLSearchParams Request \
    Response Headers FormData Blob File ReadableStream WritableStream TransformStream AbortSignal AbortController \
    TextEncoder TextDecoder Event EventTarget Element HTMLElement Node Document Window NodeJS WebSocket \
    int str bytes bytearray bool float complex list dict set frozenset tuple type range memoryview Exception \
    BaseException ValueError KeyError IndexError AttributeError RuntimeError OSError StopIteration NotImplementedError \
    u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 char Vec Option Result Box IntoIterator FnOnce FnMut Fn \
    Send Sync Sized Copy Clone Default Debug Display Ord PartialOrd Eq PartialEq Hash Drop AsRef AsMut From Into TryFrom \
    TryInto ToString ToOwned Extend DoubleEndedIterator ExactSizeIterator Range \
    error byte rune uint uint8 uint16 uint32 uint64 uintptr int8 int16 int32 int64 float32 float64 complex64 complex128 \
    Integer Long Short Byte Double Float Character CharSequence StringBuilder StringBuffer Class Thread Runnable \
    Throwable RuntimeException IllegalArgumentException IllegalStateException NullPointerException Comparable Cloneable \
    AutoCloseable Enum Void System List ArrayList LinkedList HashMap LinkedHashMap TreeMap HashSet LinkedHashSet TreeSet \
    Collection Collections Arrays Deque ArrayDeque Queue PriorityQueue Optional Stream long short double unsigned signed \
    size_t ssize_t ptrdiff_t intptr_t uintptr_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t wchar_t \
    FILE va_list time_t off_t pid_t uid_t gid_t mode_t DIR auto vector map unordered_map unordered_set deque pair \
    shared_ptr unique_ptr weak_ptr ostream istream stringstream decimal DateTime Task Action Func IEnumerable IList \
    IDictionary Dictionary Guid TimeSpan Uri Type mixed iterable self static parent array";
