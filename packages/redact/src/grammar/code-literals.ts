/**
 * Literals that code, markup and messages put next to the name of a secret, each by its own grammar.
 * They are checked last, for values that everything else takes for secrets.
 */
const CODE_LITERALS: readonly RegExp[] = [
  // A header by its name: `X-Request-Id`.
  /^x(?:-[a-z]+){2,}$/i,
  // A type of Go or OAuth's, names with commas between.
  /^[*&]{1,2}[a-z][a-z\d]*\.[A-Z][A-Za-z]+[,.;:)]?$/,
  /^[A-Za-z]*OAuth\d[A-Za-z]*$/,
  /^(?:[A-Z][A-Za-z]+(?:,[A-Z][A-Za-z]+)+|[a-z]{2,12}(?:,[a-z]{2,12})+)$/,
  /^[A-Z][A-Za-z]+(?:\/[A-Z][A-Za-z]+)+$/,
  // A type of a package, an object, a constant behind which a NUL stands, a version of a token.
  /^(?:[a-z]{2,12}:)?[a-z]+(?:\d{1,3}[a-z]*)?\/[a-z]+(?:[A-Z][a-z]*\d?)*(?::[A-Z][A-Za-z\d]*)?$/,
  /^\w+: \{/,
  /^[A-Z][A-Z\d_]+\\0$/,
  /^v\d[A-Z][a-z]+$/,
  // A step of a cipher, a format, an option with its value, the signature of a method, words in an
  // address, what a test reports.
  /^(?:3?DES|AES|RC\d|CAMELLIA|ARIA)(?:-[A-Z\d]+)+$/,
  /^0x%/,
  /^-{1,2}[A-Za-z][\w.-]{3,}=[^=]/,
  /^\([\w/;[$]*\)(?:[VZBCSIJFD]|\[*L[\w/$]+;)$/,
  /^[A-Za-z]+%20[A-Za-z(]/,
  /^PASS(?:ED)?(?:\\n)?$/,
  // Standards, the marks of a protocol, capitals and dashes.
  /^(?:ISO[-_ ]?\d{3,5}(?:-\d{1,2})*;?|WPA\d?(?:-\w+)*|[A-Z\d_-]{2,12}:|[A-Z]+(?:-[A-Z]+){1,2} ?|pre-shared-key)$/,
  // A package of Haskell: its name, its version and a digest; a file in git-annex; a migration; a
  // digest that says so; a thing by its UUID.
  /^[A-Za-z][A-Za-z\d-]*-\d+(?:\.\d+)+-[A-Za-z\d]{20,22}$/,
  /^(?:MD5|SHA\d{1,3})E?-s\d+--[\da-f]{32}/,
  /^\d{4}_[a-z][a-z\d_]*$/,
  /^(?:sha-?\d{1,3}|md5)(?:[:=-]|\/\/)[A-Za-z\d+/=]{16,}$/i,
  /^(?:urn:)?uuid:[\da-f-]{36}$/i,
  // The password of nobody.
  /^-?anon(?:ymous)?(?:@[\w.-]*)?$/i,
  // What a server asks for, in base64: `Password:`.
  /UGFzc3dvcmQ6$/,
  /^(?:0123456789abcdef){2,}$/i,
  // A member or a class by its whole name: `Policy::check`, `App\\Http\\Kernel`,
  // `a.b.hashers.PBKDF2PasswordHasher`, `[Text]::Empty`.
  /^[A-Za-z_][\w.]*(?:::[A-Za-z_]\w*)+(?:\(\)?)?$/,
  /^\[[A-Za-z][\w.]*\]::[A-Za-z]/,
  /^\([A-Z][A-Za-z]+-[A-Z]\w+/,
  /^[\w.$]+\(\)$/,
  /^\\{0,2}[A-Z]\w*(?:\\{1,2}[A-Z]\w*)+$/,
  /^#?(?:[A-Za-z_]+\.){2,}[A-Z][A-Za-z0-9]*$/,
  /^(?:[a-z_]\w*\.)+[a-z_]\w*:[A-Za-z_]\w*$/,
  // Algorithms: `rsa-sha2-256`, `scram-sha-256`, `pbkdf2`.
  /^(?:ssh|rsa|dsa|3?des|camellia|chacha|ecdsa|ecdh|scram|hmac|aes|sha|pbkdf|argon|bcrypt|scrypt)\d{0,4}(?:i?d)?(?:[-_](?:rsa|dss|ede?|sha|nistp|hmac|aes|cbc|gcm|ctr|plus|cert|v)?\d{0,5}){0,5}$/i,
  // A package, and what it exports: `@scope/name:flag`, `scope/name.Class`.
  /^@[a-z][\w-]*\/[\w.-]+(?:[:.][A-Za-z]\w*)?$/,
  /^[\w-]+(?:\/[\w-]+)+\.[A-Z][A-Za-z]+$/,
  /^\([a-z.]+\)\.[\w.]+$/,
  // Types of numbers, and the version of an interface.
  /^(?:u?int|float|big(?:u?int)?)\d{1,3}\w{0,8}$/i,
  /^v\d{1,2}(?:(?:alpha|beta|rc|preview|p)\d{0,2}){0,3}$/,
  // Escapes and nothing else, and those before an address.
  /^(?:\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|[0-7]{1,3}|[nrt])){1,3} ?$/i,
  /^(?:\\[nrt])+[a-z]+:\/\/\S+$/,
  // A colour, a step of a form, an expression between slashes, an argument in the manual.
  /^[a-z-]+:\s?#[\da-f]{3,8};?$/i,
  /^:[a-z]+(?::[a-z]+)*$/,
  /^\/\^.*\/[a-zA-Z]{0,4}$/,
  /^(?:user(?:name)?|password)[*`]$/,
  // Selectors and classes of styles, hidden files, members that begin with an underscore.
  /^(?:[#.][a-z]+(?:[-_][a-z]+)+|[a-z]+(?:-[a-z]+)*--[a-z]+(?:-[a-z]+)*|\.[a-z]+|_{1,2}[A-Za-z]+(?:_{1,2}[a-z]+)*(?:_\d{1,2})?)$/,
  // Statements.
  /^\s*(?:select\s.+\sfrom|insert\s+into|delete\s+from|update\s+\S+\s+set|(?:create|alter|drop)\s+(?:user|role|login|table)|set\s+password)\s/i,
  // Those of C and shaders; what is indented is a line of code.
  /^(?:[A-Za-z_][\w. ]*\s[-+*/]?=\s[^=].*;|(?:if|for|while) ?\(.*|[a-z]{3,10};)(?:\\n)?$/,
  /^(?: {2,}|\t)\S/,
  // What a template or a build puts a value for: `@PASSWORD@`.
  /^@[A-Z][A-Z0-9_]*@$/,
  // A constant by its name: `CRYPTO_SECRETBOX_KEYBYTES`.
  /^(?=[A-Z\d_]*(?:SECRET|TOKEN|PASSW|CREDENTIAL|KEY))[A-Z][A-Z\d]*(?:_[A-Z\d]+){2,}$/,
  // A number, an object's in ASN.1, flags, a document of the IETF, a version and its digest.
  /^(?:\d+(?:\.\d+){3,}|0x[0-9a-f]{1,8}|RFC ?\d{3,5})$/i,
  /^\d{1,6}\.\d{1,9}(?:-[0-9a-f]{32})?$/,
  // A path and its fields: `/users/{id}/tokens`, `/js/meter$suffix.js`.
  /^\/[\w.-]+\/[\w./-]*(?:\{\w|\$[a-z])[\w./${}-]*$/,
  // The code of an error, a kind, a method, an optional type: `auth/wrong-password`,
  // `kit#VerifyPasswordResponse`, `/v1/accounts:resetPassword`, `?string`.
  /^[a-z]+(?:\/[a-z]+(?:-[a-z]+)*)+-?$/,
  /^[a-z]+#[A-Z][A-Za-z]+$/,
  /^(?:\/[A-Za-z\d]+)+:[A-Za-z]+$/,
  /^\?[a-z]+$/,
  // A remark: `(none)`.
  /^\([a-z ]+\)$/,
  // A type of media, a page of a site, a filter of LDAP, the head of a message.
  /^[\w/-]+\.(?:php|html?|aspx?|jsp|cgi)(?:[?#][\w=&%.-]*)?$/,
  /^(?:text|application|image)\/[a-z\d.+-]+(?:; ?charset=[\w-]+)?$/,
  /^\([&|!]?\(?[A-Za-z]+=/,
  /^[A-Za-z ]+: $/,
  // A line of accounts: its passwords are elsewhere.
  /^[\w-]+:x?:\d+:\d+:/,
  // A regular expression: `[-a-z0-9]*:[0-9]{12}`.
  /\[[^\]\s]{0,24}(?:a-z|0-9)[^\]\s]{0,24}\][*+{?]/i,
  // Files of code and settings; those of keys and certificates.
  /^[\w./+-]+\.(?:c|cc|cpp|h|hpp|o|lo|py|js|ts|go|rs|java|rb|sh|xml|json|ya?ml|conf|jpe?g|png|gif|svg)$/,
  /^[\w./-]+\.(?:pem|key|crt|cer|der|p12|pfx|jks|pub|asc)(?:$|[:,;])/,
  // A variable behind a NUL.
  /^\\0\$[a-z]\w*$/i,
  // Public keys as SSH, X.509 and ASN.1 write them.
  /^308(?:1[\da-f]{2}|2[\da-f]{4})028(?:1[\da-f]{2}|2[\da-f]{4})00/i,
  /^(?:AAAA(?:B3NzaC1|C3NzaC1|E2VjZHNh|G(?:nNr|lzay1))|MIIBIjANBgkqhkiG9w0B|MFkwEwYHKoZIzj0)/,
];

/**
 * A label in another language, `Contrase\u00f1a`, `API-Schl\u00fcssel`; a word with the stop of a
 * sentence. In small letters it may be a password.
 */
const LABEL = /^(?=.*\P{ASCII}|.*[.!?]$)\p{Lu}[\p{L}\p{M}]*(?:[-'\u2019][\p{L}\p{M}]+)*[.!?]?$/u;

/** The fields of a format. */
const FIELD =
  /\{\$[^{}]*\}|%\{\w*\}|%\(\w*\)s?|%[sd](?![A-Za-z0-9])|\{[\w.]*(?:![rs])?\}|\{[A-Z\d]+(?:[.-][A-Z\d]+)*\}/g;
const LITERAL_PART = /^[^\d!#^*?$[\]{}]*$/;

/** True for words, names and marks round the fields of a format. */
function isFormat(value: string): boolean {
  const rest = value.replace(FIELD, '');
  return rest !== value && LITERAL_PART.test(rest.replace(/[!?]$/, ''));
}

/** True for a literal that is something else than a secret by its own grammar. */
export function isCodeLiteral(value: string): boolean {
  return CODE_LITERALS.some((pattern) => pattern.test(value)) || LABEL.test(value) || isFormat(value);
}
