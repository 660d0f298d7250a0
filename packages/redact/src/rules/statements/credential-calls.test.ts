import { describe, expect, it } from 'vitest';
import { HEX, madeUp, notHidden, notKept } from '../../testing/redact-line.js';

const V = madeUp(16);

describe('credential calls', () => {
  it('RED-3: an argument whose place says password is one', () => {
    const places = [
      ['a.py', (v: string) => `server.login("ann@example.com", "${v}")`],
      ['a.cs', (v: string) => `new NetworkCredential("svc", "${v}")`],
      ['a.java', (v: string) => `DriverManager.getConnection("jdbc:db:x", "sa", "${v}");`],
      ['a.php', (v: string) => `$db = new PDO($dsn, 'app', '${v}');`],
      ['a.php', (v: string) => `mysqli_connect('h', 'app', '${v}', 'd');`],
      ['a.py', (v: string) => `requests.get(url, auth=('ann', '${v}'))`],
      ['a.go', (v: string) => `req.SetBasicAuth("ann", "${v}")`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
    const words = [madeUp(6, 'lnrst'), madeUp(5, 'aeiou', 3)].join('-');
    expect(notHidden([['a.go', (v) => `req.SetBasicAuth("ann", "${v}")`]], words)).toEqual([]);
  });

  it('RED-3: arguments in brackets, on lines of their own and in calls that hand one on are passed over', () => {
    const places = [
      ['a.go', (v: string) => `smtp.PlainAuth("", "ann@example.com", "${v}", host)`],
      ['a.cs', (v: string) => `client.Authenticate("ann@example.com", "${v}");`],
      ['a.cpp', (v: string) => `mysql_real_connect(conn, "db", "app", "${v}", "main", 0, NULL, 0);`],
      ['a.pl', (v: string) => `DBI->connect("dbi:Pg:dbname=x", 'app', '${v}', {RaiseError => 1});`],
      ['a.py', (v: string) => `User.objects.create_superuser('ann', 'ann@example.com', '${v}')`],
      ['a.js', (v: string) => `db.auth("ann", "${v}")`],
      ['a.java', (v: string) => `DriverManager.getConnection(\n    "jdbc:db:x",\n    "app",\n    "${v}");`],
      ['a.java', (v: string) => `keys.load(new FileInputStream("client.jks"), "${v}".toCharArray());`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
  });

  it('RED-3: clients of databases, directories, mail and networks', () => {
    const places = [
      ['a.py', (v: string) => `conn = pymysql.connect("db", "app", "${v}", "main")`],
      ['a.py', (v: string) => `keyring.set_password("svc", "ann", "${v}")`],
      ['a.py', (v: string) => `l.simple_bind_s("cn=admin,dc=x", "${v}")`],
      ['a.go', (v: string) => `l.Bind("cn=admin,dc=x", "${v}")`],
      ['a.js', (v: string) => `client.bind('uid=ann,dc=x', '${v}', done)`],
      ['a.rb', (v: string) => `Net::SMTP.start("h", 25, "x", "ann", "${v}", :plain)`],
      ['a.rb', (v: string) => `http.basic_auth "ann", "${v}"`],
      ['a.pl', (v: string) => `$ua->credentials("h:80", "realm", "ann", "${v}");`],
      ['a.erl', (v: string) => `epgsql:connect("db", "app", "${v}", [])`],
      ['a.ino', (v: string) => `WiFi.begin("office", "${v}");`],
      ['a.java', (v: string) => `KeyStore.getInstance("JKS").load(in, "${v}".toCharArray());`],
      ['a.java', (v: string) => `new KeyStore.PasswordProtection("${v}".toCharArray())`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
    expect(
      notKept([
        ['a.js', "this.onClick = this.onClick.bind(this, 'first1');"],
        ['a.js', "client.connect('ws://localhost:8080/', 'echo-protocol');"],
        ['a.java', 'char[] digits = "0123456789abcdef".toCharArray();'],
        ['a.java', 'words.add(join(", ", "alpha1".toCharArray()));'],
        ['a.rs', 'Credentials::new(user.to_owned(), password.to_owned())'],
      ]),
    ).toEqual([]);
  });

  it('RED-3: the key of a call that signs', () => {
    const places = [
      ['a.js', (v: string) => `jwt.sign({ id: user.id }, '${v}', { expiresIn: '1h' })`],
      ['a.py', (v: string) => `jwt.encode(payload, "${v}", algorithm="HS256")`],
      ['a.js', (v: string) => `crypto.createHmac('sha256', '${v}').update(body)`],
      ['a.py', (v: string) => `hmac.new(b'${v}', body, hashlib.sha256)`],
      ['a.php', (v: string) => `hash_hmac('sha256', $body, '${v}')`],
      ['a.java', (v: string) => `new SecretKeySpec("${v}".getBytes(UTF_8), "AES")`],
      ['a.py', (v: string) => `AES.new(b"${v}", AES.MODE_CBC, iv)`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
  });

  it('RED-3: a pair of user and password that is encoded for a header, a value for a key', () => {
    const places = [
      ['a.js', (v: string) => `const h = 'Basic ' + btoa('ann:${v}');`],
      ['a.js', (v: string) => `Buffer.from('ann:${v}').toString('base64')`],
      ['a.php', (v: string) => `curl_setopt($c, CURLOPT_USERPWD, "ann:${v}");`],
      ['a.m', (v: string) => `[config setValue:@"${v}" forKey:@"password"];`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
  });

  it('RED-3: a client made of its key', () => {
    const places = [
      ['a.py', (v: string) => `client = AcmeClient("${v}")`],
      ['a.java', (v: string) => `AcmeClient c = new AcmeClient("prod", "${v}");`],
      ['a.rb', (v: string) => `client = Acme::Client.new('${v}')`],
      ['a.php', (v: string) => `$c = new \\Acme\\Client('${v}');`],
    ] as const;
    for (const key of [madeUp(32), madeUp(40, HEX)]) expect(notHidden(places, key)).toEqual([]);
    expect(
      notKept([
        ['a.ts', `const c = await getClient("${madeUp(40, HEX)}")`],
        ['a.ts', 'new HttpClient("https://api.example/v1/2f3a4b5c6d7e8f90a1b2c3d4e5f60718")'],
        ['a.java', 'new S3Client("com.example.storage.v2.Bucket1Client")'],
        ['a.cs', `new ApiClient("${[8, 4, 4, 4, 12].map((length) => madeUp(length, HEX)).join('-')}")`],
        ['a.ts', 'new QueryClient("projects-of-user-42-by-name-1")'],
      ]),
    ).toEqual([]);
  });

  it('RED-3: an entry of a directory takes its path, its user and its password', () => {
    const places = [
      [
        'a.ps1',
        (v: string) => `$d = New-Object DirectoryServices.DirectoryEntry("LDAP://192.0.2.1", "dom\\ann", "${v}")`,
      ],
      ['a.cs', (v: string) => `new DirectoryEntry("LDAP://EXAMPLE.COM",\n  "ann@example.com",\n  "${v}");`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
    expect(notKept([['a.cs', 'new DirectoryEntry("LDAP://EXAMPLE.COM", user, password);']])).toEqual([]);
  });

  it('RED-8: names, paths, samples and other pairs stay', () => {
    expect(
      notKept([
        ['a.py', 'server.login(user, password)'],
        ['a.py', 'self.client.login("ann", "<password>")'],
        ['a.ts', "page.login('/login', 'Please log in first');"],
        ['a.js', "btoa('user:password')"],
        ['a.js', "btoa('https://a.example/x1')"],
        ['a.js', `Buffer.from('sha256:${V}')`],
        ['a.js', "jwt.verify(token, config.jwt.secret, { algorithms: ['HS256'] })"],
        ['a.js', "jwt.sign(payload, 'secret')"],
        ['a.py', "jwt.decode(token, 'RS256')"],
        ['a.js', "crypto.createHmac('sha256', 'utf-8')"],
        ['a.js', "service.auth('ann', 'password')"],
        ['a.py', "Credential(\n  'name',\n  '{+path1}')"],
        ['a.py', "create_user('ann', 'ann@example.com', role)"],
        ['a.php', 'curl_setopt($c, CURLOPT_USERPWD, "$user:$password");'],
        ['a.m', '[config setValue:@"Arial12" forKey:@"fontName"];'],
      ]),
    ).toEqual([]);
  });
});
