"""Pieces of text that are one token in both vocabularies, and that `tokens` would cost more.

Data of `tokens`, loaded when something is counted; a change here changes what it returns. Taken
from every second file of Python's standard library, of the packages of a development environment
and of a machine's texts in a dozen other languages: those that save the most. A dot in the middle
stands for a space, ¶ for a line end, → for a tab, « for three quotes.
"""

from __future__ import annotations

from typing import Final

_PIECES: Final = r"""
    !")¶ !¶¶ «¶¶ ")))¶ "));¶ "))¶¶ "):¶ "); ");¶ ");¶¶ ")¶¶ "," ".¶¶ "/></ "/>¶ ":[" ":{" ":{¶
    ":¶ "; ";¶ ";¶¶ ">${ ">&# ">' ">// ">< "></ ">¶¶ "])¶ "])¶¶ "],¶ "]¶ "]¶¶ "` "¶¶ #!/ ## ###
    #### #define #elif #else #endif #if #ifdef #ifndef #include #pragma #undef #¶¶ $self %;¶ %s
    &gt '")¶ '''¶ '''¶¶ ')))¶ ')),¶ ')):¶ '));¶ '))¶ '))¶¶ '),¶ '):¶ ');¶ ');¶¶ ')],¶ ')¶¶ ',¶¶
    '.¶ ':¶ '; ';¶ ';¶¶ '</ ']))¶ '])¶ '])¶¶ '],¶ ']:¶ ']]¶ ']¶ ']¶¶ 'd 'll 'm 're 's 't 've
    '};¶ '¶¶ («¶ ("")¶ ("$ ("-", ("-- (".", ("./ ($ (& ('')¶ ('( ('.', ('../ ('./ ('/')¶ ('@
    (() ()))¶ ()))¶¶ ()),¶ ()):¶ ()); ());¶ ());¶¶ ())¶¶ ()-> ().¶ ():¶ (); ();¶ ();¶¶ ()</ ()>
    ()[' ()])¶ ()¶¶ ()¶¶¶ (-- (... (...) (...)¶ (@ (A (Attribute (B (Base (C (D (Exception
    (False (I (INPUT (My (None (OS (Py (Runtime (String (Test (True (Type (Value (X ([$ ([-
    ([])¶ (` (`${ (a (actual (addr (arg (args (argv (arr (array (ast (attr (axis (b (base (buf
    (buffer (builder (bytes (c (char (chunk (cls (cm (cmd (code (config (const (content (context
    (csv (ctx (d (data (default (dialog (dict (dirname (dt (dtype (e (elem (err (errno (error
    (event (exc (expected (exports (expr (f (fd (file (filename (float (fn (fname (foo (format
    (fp (frame (fs (func (g (get (grammar (h (i (id (in (index (info (input (inputs (int (io (is
    (it (item (iter (k (key (kwargs (l (lambda (len (line (lines (list (loader (locale (loop (m
    (map (master (match (math (max (message (messages (mock (mod (module (msg (n (name (new
    (next (node (np (o (obj (object (old (op (options (opts (ord (origin (os (other (out
    (outfile (output (p (package (parent (parser (path (pattern (payload (pid (pkg (proc (prompt
    (proto (ptr (q (queue (r (range (raw (re (read (repo (request (res (resp (response (result
    (root (run (s (self (seq (set (sig (signal (size (sizeof (sk (slice (snapshot (sock (socket
    (sorted (source (spec (sprintf (src (start (state (stderr (stdout (stmt (str (string (struct
    (sys (t (target (tb (test (text (this (timeout (tmp (token (tp (type (u (unittest (unsigned
    (url (v (val (vals (value (verbose (void (w (widget (x (xml (y (z (zip ({}, )")¶ )"¶ )');¶
    )')¶ )';¶ )(__ ))) ))))¶ )));¶ )))¶ )))¶¶ )),¶ )):¶ )); ));¶ ));¶¶ ))[ ))]¶ ))¶¶ ),¶¶ )->
    ).</ ).¶¶ ):¶¶ );¶¶ )</ )])¶ )])¶¶ )],¶ )]¶ )]¶¶ )__ )¶¶ )¶¶¶ *) **¶¶ */¶ */¶¶ +", ++ ++)
    ++)¶ ++;¶ ," ,$ ,))¶ ,)¶ ,¶¶ -----¶ -----¶¶ ---¶ ---¶¶ --;¶ -->¶¶ ->[ ->_ ->{ ->{$ ->{'
    -Disposition -E -Encoding -Identifier -License -Life -Type -US -Z -Za -agent -align -and
    -api -arrow -auth -based -bit -bottom -built -button -byte -channel -child -cli -collapse
    -color -comment -controls -data -decoration -defined -dependent -equiv -existent -f -family
    -fetch -file -format -function -generated -gradient -header -height -hidden -highlight -icon
    -in -index -info -js -json -label -left -length -level -library -like -line -links -linux
    -lock -module -name -number -of -only -op -picker -property -python -radius -readable -right
    -run -sensitive -separated -serif -size -space -spacing -specific -stack -start -string
    -style -test -time -title -to -toggle -top -transfer -type -url -urlencoded -v -value
    -variable -weight -width -wise -with -worker -www -x -z -zero .«¶ .«¶¶ ."),¶ .")¶ .")¶¶
    .",¶ ."¶ .# .')¶ .)¶ .)¶¶ .< .</ .A .Any .Base .Buffered .Bytes .Context .Decimal .Doc
    .Element .Error .Event .Function .Get .HTTP .I .INTEGER .Invalid .Mock .Module .Multiline
    .PL .Path .Popen .Queue .Random .Repository .S .Server .Skip .Stream .String .Test .Text
    .Thread .Type .XML .Zip .a .abort .abspath .accept .acquire .activate .add .addr .all .alloc
    .amazonaws .annotation .append .arange .arg .argmax .args .argv .array .as .asarray .assert
    .assign .astype .attach .b .bar .base .basename .bind .body .broadcast .buffer .build
    .builder .c .cache .calculate .call .callbacks .called .cancel .catch .cfg .char .chdir
    .check .children .chk .choice .clear .client .clone .close .closed .co .code .collect .com
    .command .compile .compiler .compress .con .config .configure .connect .connected
    .connection .constants .content .copy .core .count .create .crypto .css .current .cursor
    .data .datetime .db .debug .decode .deepcopy .default .define .delete .dependencies .destroy
    .dialog .digest .dirname .dispatch .do .domain .done .dot .dtd .dtype .dump .dumps .e
    .eclipse .elapsed .emit .empty .encode .encoding .end .endpoint .endswith .ensure .entries
    .env .environ .error .errors .escape .event .example .exc .exception .exclude .exe .execute
    .exists .exit .expect .export .exports .expr .extend .eye .f .factory .fail .fake .fetch
    .fetchone .file .filename .files .fill .filter .find .findall .flags .flat .flatten .float
    .flush .foo .format .fp .fragment .freeze .from .func .function .fx .g .gc .get .getcwd .gif
    .git .github .gnu .go .google .googleapis .group .gz .h .handle .has .headers .hidden
    .highlight .host .hostname .html .id .imag .import .in .includes .index .inf .info .insert
    .inspect .int .invalidate .invoke .io .is .isdir .isfile .isnan .items .join .js .json .key
    .keys .kill .kind .last .length .linalg .line .list .listdir .listen .load .loader .loads
    .local .lock .log .loop .lower .ma .machine .main .make .makedirs .map .maps .mark .mask
    .match .matmul .max .md .message .messages .metadata .method .microsoft .mkdir .mock .mod
    .mode .model .module .modules .mozilla .msg .multiply .name .names .nan .ndarray .net .new
    .next .node .nodes .notify .object .on .ones .open .optimize .options .org .origin .output
    .outputs .owner .pack .parametrize .parent .parse .parser .partial .partition .patch .path
    .pathname .pdf .php .pipe .platform .plugin .pm .png .poll .pool .pop .port .prefix .prepare
    .print .process .prompt .prototype .provider .push .py .python .query .queue .quit .quote
    .raises .rand .randint .random .randrange .raw .read .reader .readline .readlines .recv .ref
    .register .registry .release .remove .repeat .replace .repository .request .requires .reset
    .reshape .resize .resolve .respond .response .result .return .root .rstrip .run .sample
    .scheme .search .seed .seek .send .sep .serialize .server .set .setdefault .setter .sha
    .shape .shell .shuffle .shutdown .sidebar .signal .signature .size .skip .sleep .slice .sock
    .socket .sort .source .sourceforge .spawn .split .splitext .sqlite .sqrt .ssl .start
    .startswith .stat .state .statistics .status .stderr .stdin .stdout .stop .stream .strftime
    .strict .stringify .strip .style .styles .sub .submit .subscribe .support .svg .swap .sync
    .tag .tar .target .tell .test .text .time .timedelta .timeout .title .tk .to .token .tp
    .trace .translate .transport .transpose .trigger .txt .type .types .unlink .unpack
    .unregister .unwrap .update .url .urlopen .user .username .util .utils .value .values
    .verbose .verify .version .w .wait .warn .warning .widget .wikipedia .workspace .write
    .writer .x .xml .yml .zeros .zip .¶¶ .¶¶¶ /" /"> /$ /*
    /*******************************************************************************¶ /**¶ /*¶
    /. /// ///¶ />.¶¶ /C /Data /LICENSE /O /Web /\ /__ /a /api /articles /b /bar /bin /blob /c
    /css /d /doc /docs /en /foo /go /google /html /issues /javascript /latest /lib /licenses
    /main /master /my /node /npm /or /plain /projects /python /scripts /shared /svg /test /v
    /vnd /wiki /x /xhtml :")¶ :** :/// ::_ ::__ ::¶¶ :</ :])¶ :bold :hover :last :¶¶ ;">¶ ;¶¶
    ;¶¶¶ <! <!-- <$ <- <? <_ <a <body <div <footer <h <hr <html <li <meta <p <section <span
    <table <tbody <td <tr <typename <ul ="# ="- ="../ ="/ ="_ =$ =$( ='')¶ ='', ='\ =(' =False
    =None =True =\" =cut =f =head =headers =item =lambda =np =r =self =subprocess ={}, >")¶ >"¶
    >& >')¶ >( >());¶ >();¶ >();¶¶ >({¶ >) >);¶ >)¶ >,¶ >. >.</ >.¶ >: >:: >;¶ >;¶¶ >A >If >The
    >This >¶¶ >¶¶¶ ?¶¶ @example @gmail @pytest ABCDEFGHIJKLMNOPQRSTUVWXYZ AI ARGV ARRAY Abort
    Adapter Addr Adjust Agent Analysis Annotation Apple Assembly Assertion Authorization Azure
    BEGIN BODY Bits Blob Blocks Bucket Buf Builder CDATA CE CMS CODE CREATE Callable Callbacks
    Certificate Chat Checker Choice Chunk Cipher Cleanup Cluster Compiler Configure Conflict
    Controller Cookie Credentials Crypto Cs Ctx Cursor Curve DECLARE DEFINE DELETE DNS DOCTYPE
    DTD Debugger Decimal Decoder Decorator Dependencies Dependency Describe Descriptor
    Destination Destroy Digest Dispatcher Division Downloads Ds Dual Dump Dynamic EB EN ENV
    EXPORT Encoder Encryption Endpoint Entries Equals Evaluator Exporter FAILED FTP Factory
    Feedback Finder Formatter GENERAL GNUC Generation Git Globals Guard HASH HEAD HOME Hardware
    Harness Hello Highlight Hub INC INCLUDING INET ISA Immediate Impl Implemented Importer
    Infinity Inspector Instr Instruction Interpreter Interrupt Interval Introduction Iterable
    Iteration JS John Keyboard LIB Lang Layout Links Linux Listener Lite Loader Locale MD
    MERCHANTABILITY META MS Mac Machine Magic Maker Mask Mixin Mono Mount Moved NODE Navigation
    OPTIONS Opcode Operand Origin Overflow PACKAGE POST Pending Permission Pipe Plugin Pod
    Pointer Pool Predicate Prefs Primitive Proc Processor Projection Promise Prompt Proto
    Prototype Provider Ptr Pull Queue README Reader Registry Repo Requirement Resolver Retry
    Reuse Runner SDK SIG STACK SUPER Scripts Sec Secure Segoe Selector Semaphore Shell Shift
    Shutdown Signal Signed Smith Snapshot Soft Statistics Stmt Storage Strategy Streaming
    Successful Suffix Suite Summary Sync Synopsis TRANS TTY Theme Threshold Timestamp Toggle
    Tracker Traits Transport Ty Typed UDP UNKNOWN Unable Unexpected Unsafe Updated Updates
    Upgrade Verbose Visitor Volume WARNING WORK Worker Workspace Writer XS [$ [, [:, [::- [Any
    [T [` [i [int [k [key [name [np [self [str \"\ \\ \n \r \s \t \u \x \xa \xc \xf ]')¶ ])))¶
    ]));¶ ]))¶ ]))¶¶ ]):¶ ]);¶ ]);¶¶ ])¶¶ ]-> ]:¶ ];¶ ];¶¶ ][] ]])¶ ]])¶¶ ]],¶ ]]:¶ ]¶¶ _ACCEPT
    _ACCESS _ADD _ADDR _ADDRESS _ALL _ALLOC _ALLOW _ALWAYS _API _APPEND _ARGS _ARGUMENT _ARRAY
    _ATTR _ATTRIBUTE _ATTRIBUTES _AUTO _BAD _BEGIN _BINARY _BIT _BITS _BLOCK _BODY _BR _BUF
    _BUFFER _BUILD _BYTES _C _CACHE _CALLBACK _CAP _CERT _CHAIN _CHECK _CLEAR _CLIENT _CLOSE
    _CMD _CN _CODE _COLOR _COMMAND _COMMENT _COMMON _CONF _CONFIG _CONNECT _CONST _CONTENT
    _CONTEXT _CONTROL _CORE _CPU _CREAT _CREATE _CTRL _CTX _CUR _CURRENT _Check _Content _DATA
    _DEBUG _DECREF _DEFAULT _DEFINE _DESCRIPTION _DESCRIPTOR _DICT _DIR _DIRECTORY _DISABLE
    _DISABLED _DOUBLE _DOWN _DOWNLOAD _DYNAMIC _EMPTY _ENABLE _ENABLED _ENCODING _END _ENDPOINT
    _ENGINE _ENTRY _ENV _ERR _ERROR _ERRORS _EXCEPTION _EXP _EXPORT _EXT _EXTENSION _EXTERNAL
    _EXTRA _FAIL _FAILED _FAILURE _FALSE _FAST _FATAL _FEATURE _FIELDS _FILE _FILENAME _FILES
    _FILTER _FIRST _FLAG _FLAGS _FLOAT _FORWARD _FOUND _FRAGMENT _FREE _FULL _FUNC _FUNCTION
    _From _GEN _GENERAL _GET _GROUP _Get _H _HALF _HASH _HEAD _HEADER _ID _IGNORE _IMPORT _IN
    _INC _INDEX _INET _INFO _INIT _INLINE _INPUT _INSTALL _INSTANCE _INT _INTEGER _INTERNAL
    _INTERVAL _INVALID _IOCTL _IS _ITEM _KEY _LABEL _LEN _LENGTH _LEVEL _LIB _LIBRARY _LIMIT
    _LINK _LITERAL _LOCAL _LONG _MAC _MACHINE _MAGIC _MAJOR _MAPPING _MASK _MAX _MD _MEM
    _MESSAGE _METADATA _METHOD _MIN _MINOR _MODE _MODULE _NAME _NAMES _NAMESPACE _NETWORK _NEW
    _NO _NODE _NONE _NOT _NULL _NUM _OBJ _OBJECT _OF _OFFSET _OK _ONLY _OPEN _OPERATION _OPT
    _OPTION _OPTIONS _ORDER _OTHER _OUT _OUTPUT _P _PADDING _PARAM _PARAMETER _PARAMS _PARSE
    _PATH _PATTERN _PENDING _PER _PLATFORM _POINT _POLICY _PORT _PREFIX _PRIV _PRIVATE _PROCESS
    _PROGRESS _PROTOCOL _PROXY _PTR _QUERY _QUEUE _RANGE _RAW _RDONLY _RDWR _READ _RECORD _REGEX
    _RELEASE _REQ _REQUEST _REQUIRED _RES _RESET _RESPONSE _RETURN _ROOT _RUNTIME _SAFE _SCRIPT
    _SECONDS _SEND _SEQ _SEQUENCE _SERVER _SERVICE _SESSION _SET _SETTINGS _SHARED _SHIFT _SIG
    _SIGN _SIGNATURE _SINGLE _SIZE _SOCKET _SOURCE _SPECIAL _SRC _SSL _STACK _STAT _STATE
    _STATIC _STATUS _STD _STORE _STREAM _STRING _STRUCT _SUCCESS _SUFFIX _SUPPORT _SUPPORTED
    _SYNC _SYS _SYSTEM _SZ _Set _T _TAG _TARGET _TEMPLATE _TEST _TEXT _THREAD _THREADS _TIME
    _TIMEOUT _TIMESTAMP _TO _TRACE _TRUE _TYPE _TYPES _UNKNOWN _UNUSED _UPDATE _USAGE _UTF _V
    _VALUE _VER _VERIFY _VERSION _WAIT _WARNING _WINDOWS _WRITE _X __":¶ __':¶ __(' __(( __()¶
    __()¶¶ __(* __(¶ __))¶ __), __)¶ __)¶¶ __,¶ __[ __¶ __¶¶ _a _access _action _actions _add
    _added _addr _address _addresses _after _agent _alias _alive _all _allocator _and
    _annotation _annotations _any _api _archive _arg _args _argument _arguments _arr _array
    _arrays _as _ascii _assert _assign _async _at _atom _attr _attribute _attributes _attrs
    _audio _auth _axis _b _bad _base _basic _batch _before _binary _bind _binding _bits _blank
    _block _blocks _body _bool _bound _boundary _branch _bucket _buf _buffer _bug _build
    _builtin _by _byte _bytes _c _cache _call _callable _callback _callbacks _called _calls
    _cancel _capture _case _cases _cast _cb _cert _certificate _cfg _changed _channel _char
    _chars _charset _chat _check _checker _child _children _choice _chunk _chunks _cipher _class
    _cleanup _clear _client _close _closed _cls _cmd _cmp _code _codes _collect _color _colors
    _command _commands _comment _commit _compare _compile _complete _completed _completion
    _complex _cond _config _configs _connect _connection _connections _const _constraints
    _consts _content _contents _context _converter _cookie _copy _core _count _counter _create
    _credentials _ctrl _ctx _current _cursor _custom _cycle _d _data _datetime _debug _decimal
    _decode _decoder _default _defaults _delay _delete _dependencies _dependency _depth _der
    _desc _descriptor _destroy _dict _difference _digest _digits _dir _directory _dirs _disabled
    _dispatch _done _dot _double _dtype _dump _dup _duplicate _dynamic _effect _elem _element
    _empty _encode _encoded _encoder _encoding _encrypt _end _endpoint _entries _entry _env _epi
    _equal _error _errors _event _events _ex _exc _except _exception _exec _executor _exit
    _export _expr _expression _ext _extended _extension _extensions _extra _f _factory _fail
    _failure _fd _feedback _field _fields _file _filename _files _filter _finalize _find
    _finished _first _flag _flags _float _flow _flush _fmt _fn _folder _for _format _formats
    _formatter _fp _fragment _frame _frames _free _from _full _func _funcs _function _future
    _gen _generation _generator _generic _get _global _globals _group _guard _h _handle _handler
    _handlers _has _hash _header _headers _help _helper _helpers _hidden _hint _hook _hooks
    _host _hostname _hosts _i _id _idle _ids _idx _if _impl _import _in _indent _index _indices
    _info _init _inline _inner _input _inputs _insert _install _instance _int _integer
    _interface _internal _interrupt _interval _invalid _ioctl _ipv _is _item _items _iter
    _iteration _iterator _job _join _json _jump _key _keys _keyword _kind _kw _kwargs _labels
    _lang _last _lazy _len _length _level _lib _library _like _limit _line _lineno _lines _link
    _links _list _literal _literals _load _loader _local _locale _location _locations _lock _log
    _long _loop _magic _main _make _malloc _manager _map _mapping _marker _mask _match _max _md
    _memory _message _messages _metadata _method _methods _missing _mm _mock _mode _model
    _modified _module _modules _msg _mutex _n _name _named _names _namespace _nan _native
    _nested _network _new _next _no _node _non _none _not _notify _null _num _number _numeric
    _obj _object _objects _of _offset _offsets _oid _ok _on _once _one _only _op _open _ops _opt
    _option _options _opts _or _order _origin _os _other _out _output _outputs _p _package
    _packages _pairs _parallel _param _parameters _params _parent _parse _parser _part _partial
    _path _paths _pattern _patterns _payload _pd _peer _pending _phrase _pickle _pid _pipe _pkg
    _plain _plugin _pointer _policy _poll _pool _pop _port _pos _positions _precision _prefix
    _prime _print _priority _process _prompt _property _proto _protocol _provider _proxy _ptr
    _push _py _python _query _queue _quote _quotes _raise _random _range _ranges _ratio _raw _re
    _read _reader _recv _redirect _ref _reference _refs _regex _registry _remote _remove _repeat
    _repo _repr _request _requires _resource _response _result _retry _return _revision _rng
    _root _run _running _s _sample _scalar _schema _scheme _script _scripts _search _seconds
    _secret _section _seed _seek _self _send _sep _separator _seq _sequence _server _session
    _set _setup _sha _shell _shift _short _shutdown _sidebar _sig _signal _signature _signed
    _simple _single _size _sk _sleep _slice _slot _slug _snapshot _sock _socket _sort _sorted
    _source _sources _spaces _spawn _spec _special _specs _sql _ssl _st _stack _star _start
    _state _static _stats _status _stdout _stmt _stop _store _str _strategy _stream _string
    _strings _stub _style _styles _success _suffix _suite _summary _support _sync _t _table _tag
    _tags _target _targets _task _tasks _tb _tcp _template _test _tests _text _theme _thread
    _threads _threshold _time _timeout _timer _timestamp _tmp _to _toggle _token _tokens _tool
    _tools _trace _tracker _tracking _traits _transition _transport _tree _trigger _true _tuple
    _txt _type _types _u _uint _ulong _unicode _union _unpack _unsigned _until _unused _up
    _update _uri _url _usage _use _user _utf _util _utils _v _val _valid _validator _value
    _values _var _vars _verify _version _void _wait _warning _widget _width _with _without
    _worker _workers _wrap _wrapper _write _writer _x _xml _zero `,¶ `.¶ `.¶¶ `] `]( ``` `¶¶ aa
    abc abcd abcdef abcdefghijklmnopqrstuvwxyz abort addons addr addresses ae aes af aggregate
    alpha annotations anonymous apple argv ascii assign astype attachment attrs axis backup
    basename bases bash baz bb bc bd bf bg bin bind binding bits blocking blockquote blue bold
    bootstrap branch brief bucket buf bugs builtin callbacks caller cancel canonical cb cd cf
    charset checkbox chunk cipher classmethod cleanup clone cls cluster cmp cms commands
    compiler compress compressed compression cond configure cp cplusplus cpp cpu crypto cs ctx
    cwd dataset datetime dbname dc dd decimal dependencies dependency deps depth destroy
    developer df digest directories dirname dirs disabled distributed dns downloads dt dtype
    dump dynamic eb embedding endpoint errno eu evenodd exclude experimental export exports
    extern fake fallback fb fc fd fetch ffff ffffff fh finish flush fname foobar footer
    foreground fork formatter fp fs ftp fullname gcc getitem git glob globals gnu google green
    grep gt gzip hello hf hidden highlight hostname href https hu idx includes indent inherit
    inputs inspect interp interval intl invoke iso issuer italic ja javascript js jump kill kk
    ko kw kwargs latin legacy libraries libs limitations linux listen llvm loader locale
    localhost logo magic mask maybe md merge messages meth middle mime mkdir mozilla mtime
    multipart native navigation nbsp newline np npm numeric numpy opaque openssl opts origin
    outfile outputs overflow owner pagination parsed pathname payload peer pending perf perl
    phase picker pickle pid ping pip pipe pkg plain png poll polygon pool possibly prepare prev
    printf proc production prog prompt proto prototype provided pthread pull pwd px pytest queue
    quiet quot quote quoted qw ranges rb recv refs registry reject remote repo repository repr
    reshape resolved retry revision rich rtype salt sandbox scalar scheme scripts seek sf sha
    shift shutdown signal sizeof sleep slice snapshot sock sources spam span spawn specified
    sprintf sqlite sqrt sr ssl stable stackoverflow startswith staticmethod stderr stdin stdio
    stdlib stdout strategy strcmp stylesheet submit suffix summary supports sv svg sync tbody
    tcp td theme threads timestamp tls tmp tools translate transport txt typedef typename typeof
    typically typing uid uk undef unexpected unlikely unlink unsafe unsigned unwrap updated
    upgrade username usr vendor verbose viewport vm volume warnings wb webkit worker workspace
    www xa xab xc xf xff xffffffff xml xxx xyz yaml yellow yes yield zh {$ }")¶ }")¶¶ }",¶ }"¶
    }'. })) }));¶ }). });¶ });¶¶ })¶¶ }-> }/{ };¶ };¶¶ }</ }`);¶ }`)¶ }{$ }};¶ }¶¶ }¶¶¶ ·!!! ·!$
    ·!== ·«¶¶ ·""),¶ ·"")¶ ·"". ·"":¶ ·"";¶ ·""¶ ·"$ ·"$( ·"${ ·"/" ·"__ ·## ·$$ ·$( ·$_ ·${
    ·&& ·&&¶ ·'"' ·'#' ·'%' ·''' ·'''¶ ·'') ·'')¶ ·'';¶ ·'';¶¶ ·'(' ·')' ·'*' ·'+' ·'-' ·'--
    ·'.' ·'/' ·'/',¶ ·'/'¶ ·'=' ·'?' ·'[' ·'\\ ·'^ ·'_' ·'__ ·(! ·(!$ ·(# ·($ ·(($ ·((( ·((__
    ·();¶ ·();¶¶ ·()¶¶ ·(< ·(@ ·(` ·);¶¶ ·)¶¶ ·*) ·*)( ·*);¶ ·*,¶ ·*/¶ ·*/¶¶ ·*/¶¶¶ ·*__ ·*¶¶
    ·-*- ·-*-¶ ·----------¶ ·-------¶ ·-->¶ ·-->¶¶ ·..." ·...) ·...)¶ ·...¶¶ ·./ ·.= ·/* ·/**¶
    ·/*¶ ·/// ·///¶ ·/></ ·/>¶ ·/\ ·/^ ·/^\ ·::= ·;¶¶ ·<!-- ·=== ·=> ·=>¶ ·=~ ·>>> ·>>¶¶ ·@$ ·@_
    ·@_;¶ ·@_;¶¶ ·@{ ·ABI ·ABOVE ·ACTION ·ALSO ·ALWAYS ·ANSI ·AP ·ARISING ·ARRAY ·AUTHOR
    ·AUTHORS ·Additionally ·Aggregate ·Agreement ·Alignment ·Assertion ·BASIS ·BIO ·BLOCK ·BUT
    ·Benchmark ·Blink ·Buffered ·Bug ·CAPITAL ·CHECK ·CLAIM ·CMS ·CONDITIONS ·CONNECTION
    ·CONSEQUENTIAL ·CONTRACT ·CONTRIBUTORS ·CONTROL ·COPYING ·COPYRIGHT ·CORE ·CPU ·CRC
    ·Calculate ·Callable ·Carp ·Certificate ·Chat ·Chunk ·Codec ·Configure ·Contributor
    ·Corporation ·Crypto ·DAMAGES ·DEALINGS ·DELETE ·DER ·DESCRIPTION ·DEVICE ·DO ·DOT ·DOUBLE
    ·DWORD ·Decimal ·Determine ·Dynamic ·EDIT ·EMPTY ·ES ·EVP ·EXIT ·EXPRESS ·Emoji ·Endpoint
    ·Experimental ·FETCH ·FITNESS ·FIXME ·FULL ·Foundation ·GCC ·GENERAL ·GPL ·GROUP ·Git
    ·Google ·HALF ·HAVE ·HEAD ·HEADER ·HOLDERS ·Helvetica ·Hub ·ICU ·IEEE ·IMPLIED ·INCIDENTAL
    ·INCLUDE ·INCLUDING ·INDEX ·INDIRECT ·INPUT ·INSTALL ·INTERNAL ·IPC ·Instruction ·Iterable
    ·Jobs ·KIND ·Keyboard ·LETTER ·LIABILITY ·LIABLE ·LIMITED ·LINK ·LLVM ·LOW ·Lang ·Lazy
    ·Legacy ·Lifecycle ·Linux ·MARK ·MAY ·MD ·MERCHANTABILITY ·METHODS ·MICRO ·MIME ·MUST ·Mac
    ·Machine ·Magic ·Maybe ·Microsoft ·Mozilla ·NEGLIGENCE ·NONINFRINGEMENT ·OBJ ·OBJECT ·ONE
    ·OPTIONAL ·OPTIONS ·OTHER ·OTHERWISE ·OUT ·Opcode ·Overflow ·PACKAGE ·PARTICULAR ·PCI ·PEM
    ·PERFORMANCE ·PLUS ·PNG ·POD ·POINTER ·POSSIBILITY ·POST ·PR ·PROCUREMENT ·PROFITS ·PROVIDED
    ·PUBLIC ·PURPOSE ·Perl ·Permission ·Pod ·Previously ·Prints ·Promise ·Purpose ·QUESTION
    ·Queue ·README ·RECORD ·RETURN ·RIGHT ·ROUND ·Reject ·SCC ·SDK ·SECTION ·SEE ·SEEK ·SHALL
    ·SHIFT ·SIGN ·SINGLE ·SMALL ·SMTP ·SOFTWARE ·SPACE ·SPDX ·SPECIAL ·STACK ·STANDARD ·STATUS
    ·STDERR ·STOP ·STRICT ·SUBSTITUTE ·SUCCESS ·SUPPORT ·SYSTEM ·Sandbox ·Shutdown ·Specifies
    ·Specify ·Stability ·Stainless ·Statistics ·Sync ·Synopsis ·TCL ·THIS ·THREE ·TORT ·TRANS
    ·TWO ·Tcl ·Therefore ·Thus ·Tk ·Transitional ·Typed ·Typically ·UNIX ·UR ·Unlike ·Upgrade
    ·WARNING ·WARRANTIES ·WARRANTY ·WHETHER ·Widget ·Worker ·XHTML ·XS ·YAML ·ZERO ·[(' ·[...
    ·[[' ·[])¶¶ ·[];¶ ·[]¶¶ ·[` ·\"$ ·\$ ·])¶¶ ·];¶ ·]¶¶ ·_(' ·`" ·`${ ·`' ·`_ ·``` ·```¶ ·abc
    ·acceptable ·accepted ·accessible ·accessing ·accordingly ·accuracy ·acknowledgment ·acquire
    ·acquired ·acquisition ·actions ·adding ·additionally ·additions ·addon ·addons ·addr
    ·addresses ·adds ·adjacent ·adjust ·adjusted ·advance ·advanced ·advertising ·affected
    ·affects ·afterwards ·aggregate ·alignment ·allocated ·allocation ·alpha ·alphabet
    ·alternate ·alternative ·ambiguous ·analysis ·analyze ·annotated ·annotation ·anonymous ·ans
    ·anymore ·anywhere ·appended ·applications ·applying ·approximate ·approximately
    ·approximation ·architecture ·archive ·argc ·argparse ·arithmetic ·arrays ·assign ·assigned
    ·assignments ·ast ·asynchronous ·asynchronously ·asyncio ·attachment ·attempted ·attempting
    ·authentication ·authorization ·automatic ·avoids ·axes ·axis ·backup ·batch ·baz ·behalf
    ·behave ·behaves ·bgcolor ·bind ·bits ·blank ·bless ·blocking ·blocks ·bold ·boundary
    ·branch ·breakpoint ·breaks ·broadcast ·broken ·browser ·bucket ·buf ·buffered ·buffering
    ·buffers ·bug ·builder ·bypass ·calculate ·calculation ·callbacks ·caller ·cancel
    ·cancellation ·candidate ·capture ·carp ·category ·cb ·cellpadding ·cellspacing ·certificate
    ·certificates ·changing ·charset ·checked ·checkout ·checkpoint ·checksum ·chmod ·choice
    ·choices ·chr ·chunk ·chunks ·cipher ·ciphertext ·clang ·cleanup ·clone ·closing ·cls ·cm
    ·cmp ·codec ·codecs ·codes ·coef ·coefficient ·coefficients ·colors ·columns ·commands
    ·comparing ·comparisons ·compartment ·compilation ·compiler ·compiling ·completed ·completes
    ·completion ·complexity ·compliant ·components ·comprehension ·compress ·compressed
    ·compression ·concurrent ·configurations ·configure ·conflicting ·conflicts ·conjunction
    ·connected ·connections ·consistency ·constexpr ·constraint ·constraints ·construction
    ·consumed ·contiguous ·contributors ·controlled ·controls ·conversion ·converted ·converting
    ·cookies ·counts ·coverage ·cp ·cpu ·crawl ·creation ·credential ·credentials ·crypto ·csv
    ·ctx ·ctypes ·curses ·cursor ·customization ·customize ·cwd ·cycle ·cycles ·daemon ·dataset
    ·debugger ·decimal ·declarations ·declared ·decoded ·decoder ·decoding ·decorated ·decrypt
    ·defines ·definitions ·deleted ·delta ·deny ·dependencies ·dependency ·depending ·deployed
    ·deployment ·deployments ·deps ·depth ·derived ·describes ·describing ·descriptions
    ·descriptor ·descriptors ·destination ·destroy ·destroyed ·detail ·detailed ·detect
    ·diagnostic ·diagnostics ·difference ·differences ·differently ·digest ·dimension
    ·dimensions ·directive ·disabled ·discarded ·discussion ·disk ·dispatch ·displayed
    ·distinguish ·distribute ·documented ·documents ·dot ·downloaded ·downloading ·drawn ·drop
    ·dry ·dt ·dtype ·dump ·duplicate ·dynamic ·dynamically ·effective ·efficient ·eggs ·elem
    ·elsewhere ·elsif ·embedded ·embedding ·emitted ·emitter ·enables ·encrypt ·encrypted
    ·endpoint ·endpoints ·entries ·environments ·eslint ·etc ·evaluation ·evaluator ·exceed
    ·exceeds ·excluded ·excluding ·exclusive ·exhausted ·existence ·exited ·exiting ·exits
    ·expensive ·experimental ·export ·exported ·exports ·exposed ·extended ·extracted ·factory
    ·fd ·feedback ·fetch ·filtering ·filters ·fine ·finish ·finished ·fixes ·flavor ·floating
    ·flow ·flush ·fmt ·fname ·folder ·forbidden ·fork ·formats ·formatter ·forms ·forwarded ·fp
    ·fragment ·fragments ·frames ·framework ·freeze ·frequency ·fs ·fully ·fut ·garbage ·gc ·gcc
    ·generation ·git ·globally ·globals ·grammar ·granted ·grep ·guarantee ·guess ·gzip ·handles
    ·handshake ·hardware ·harmless ·hashes ·hashlib ·hasn ·hello ·helpers ·hereby ·hexadecimal
    ·hf ·hidden ·hierarchy ·highlight ·highlighting ·hooks ·identifying ·idle ·ids ·idx
    ·immutable ·implicitly ·impossible ·includes ·inconsistent ·incorrect ·increment
    ·incremental ·indexing ·indicated ·inflate ·inheritance ·inherited ·inherits ·initialized
    ·inject ·injected ·injection ·inplace ·inputs ·installation ·installing ·instantiated
    ·instruction ·instructions ·integrity ·interactive ·interesting ·interfaces ·intermediate
    ·interpolation ·interpret ·interpretation ·interrupted ·interval ·intervals ·introduced
    ·invoke ·invoked ·invokes ·invoking ·involve ·involves ·involving ·isn ·jobs ·joined ·jump
    ·klass ·knowledge ·kw ·labels ·lacks ·latency ·layer ·layers ·layout ·lazy ·leaf ·leak
    ·leaks ·legacy ·lengths ·levels ·lexical ·libc ·lifecycle ·limitation ·limited ·limits
    ·linear ·linkage ·linked ·linker ·linking ·links ·linux ·llvm ·loaded ·loader ·loading
    ·locale ·locally ·locations ·locks ·logged ·looks ·mac ·machine ·machinery ·macro ·macros
    ·magic ·maintained ·malformed ·management ·mandatory ·manifest ·maps ·markdown ·marker
    ·marks ·mask ·masked ·master ·maybe ·meaningful ·mechanism ·mechanisms ·medium ·memcpy
    ·merge ·messages ·middle ·milliseconds ·minimum ·minor ·mismatch ·mocks ·modern
    ·modification ·modifications ·modifying ·multipart ·multiprocessing ·namespaces ·native
    ·ndarray ·necessarily ·networks ·newer ·newly ·nid ·noexcept ·nor ·normalization ·normally
    ·notify ·np ·npm ·numeric ·obtaining ·obviously ·occurrence ·odd ·offsets ·omit ·opaque
    ·opcode ·opening ·operand ·operands ·operators ·optimize ·optimized ·ord ·organization
    ·origin ·originally ·outer ·outfile ·outputs ·overflow ·overhead ·overriding ·overview
    ·overwritten ·owned ·owner ·ownership ·owns ·pad ·padded ·pages ·paragraph ·parallel
    ·pathname ·patterns ·payload ·peer ·pending ·perf ·performing ·performs ·perhaps ·perl
    ·permission ·permitted ·persistent ·phase ·phrase ·physical ·pid ·pip ·pipe ·pkg
    ·placeholder ·plain ·plugin ·png ·pointer ·poll ·pool ·positions ·precision ·predicate
    ·preference ·preferred ·prepare ·preserved ·preserves ·preserving ·priority ·proc ·processes
    ·processor ·programming ·proj ·projection ·projects ·promise ·prompt ·propagate ·proto
    ·protocols ·prototype ·prototypes ·provider ·proxies ·ptr ·publishing ·pull ·purpose ·pwd
    ·qq ·qualified ·queue ·queued ·quota ·quote ·quotes ·quoting ·qw ·rank ·reader ·reasonable
    ·rebuild ·receiving ·recognized ·recommend ·recommended ·recv ·redirects ·refer ·referenced
    ·refers ·refresh ·refs ·registered ·registers ·registry ·regression ·reject ·rejected
    ·rejection ·rejects ·releases ·remainder ·remaining ·remote ·repeat ·replacement ·replacing
    ·repo ·reporting ·reports ·repository ·reproduce ·requirements ·requiring ·resolution
    ·resolver ·resolves ·resolving ·resp ·restore ·restricted ·restriction ·restrictions
    ·retrieve ·retrieved ·retry ·reused ·revision ·rng ·rounding ·routine ·royalty ·runner ·runs
    ·safely ·sample ·sandbox ·satisfied ·satisfies ·saved ·scalar ·scheduled ·scheme ·scripts
    ·searching ·secret ·sections ·seed ·seek ·segment ·segments ·selecting ·selection ·selectors
    ·semaphore ·sending ·sensitive ·sep ·separator ·seq ·serialization ·serialize ·serialized
    ·serve ·servers ·sha ·shell ·shift ·shrink ·shutdown ·sig ·signal ·signals ·signatures
    ·signed ·simultaneously ·situations ·slash ·sleep ·slice ·slices ·slot ·slow ·slower
    ·smallest ·smtp ·snapshot ·snapshots ·snippet ·sockaddr ·sockets ·soft ·solid ·sometimes
    ·somewhere ·sources ·spaces ·span ·spawn ·spawned ·specs ·sprintf ·sqlite ·square ·ssl
    ·stale ·standalone ·statistics ·stats ·steps ·sticky ·storage ·stores ·strategies ·strategy
    ·streaming ·streams ·strictly ·stringify ·strongly ·structured ·stub ·stuff ·styles
    ·stylesheet ·sublicense ·submit ·submitted ·substantial ·substr ·substring ·subtle ·subtree
    ·subtype ·successful ·sufficient ·suggested ·suite ·summary ·supporting ·suppressed ·swap
    ·switches ·sync ·synchronization ·synchronous ·systems ·tagged ·tar ·targets ·tasks ·tb
    ·tbody ·td ·teardown ·technique ·terminated ·tgt ·theme ·threads ·threshold ·thrown ·thus
    ·tidy ·timer ·timestamp ·timezone ·tkinter ·tmp ·tools ·tp ·tqdm ·tracing ·tracker ·tracking
    ·transfer ·transformation ·translate ·translated ·translation ·transparent ·transport
    ·trigger ·triggered ·triggering ·triggers ·trio ·truncated ·trust ·txt ·typed ·typedef
    ·typename ·typical ·typo ·unavailable ·undef ·underline ·unexpected ·unlikely ·unreachable
    ·unrelated ·unsafe ·unspecified ·unwrap ·updated ·updates ·updating ·upgrade ·username
    ·usually ·utility ·validated ·vec ·verification ·verifying ·visible ·vm ·volume ·volumes
    ·vulnerabilities ·vulnerability ·vulnerable ·waiting ·wasm ·webhook ·welcome ·whatever
    ·widget ·widgets ·widths ·wildcard ·workaround ·worker ·workspace ·wrapped ·writable ·writer
    ·writes ·xml ·xmlns ·yes ·yielded ·{}'. ·{}),¶ ·{}). ·{};¶ ·{}¶¶ ·{¶¶ ·|= ·|| ·||= ·||¶ ·|¶¶
    ·});¶ ·});¶¶ ·},¶¶ ·};¶ ·};¶¶ ·}¶¶ →echo →else →for →foreach →fprintf →if →int →my →print
    →printf →pthread →return →struct →test →unsigned
"""

PIECES: Final = frozenset(
    piece.replace("·", " ").replace("¶", "\n").replace("→", "\t").replace("«", '"' * 3)
    for piece in _PIECES.split()
)
"""Pieces as they are cut: with a space, tab or sign before, and the line ends behind."""
