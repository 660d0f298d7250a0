import { describe, expect, it } from 'vitest';
import { madeUp, notHidden, notKept, type Place } from '../testing/redact-line.js';

const V = madeUp(14);

/** A path and, behind a space, a call; `<value>` stands for the secret. */
const placesOf = (calls: string): Place[] =>
  calls.split('\n').map((line) => {
    const space = line.indexOf(' ');
    return [line.slice(0, space), (v: string) => line.slice(space + 1).replaceAll('<value>', v)];
  });

const PASSWORDS = placesOf(`a.py conn = psycopg2.connect(host, 5432, 'ann', '<value>')
a.py ftp = ftplib.FTP('host', 'ann', '<value>')
a.py ssh.connect('host', 22, 'ann', '<value>')
a.py redis.Redis('host', 6379, 0, '<value>')
a.py connect('weblogic', '<value>', 't3://host:7001')
a.js createAccount('ann', '<value>')
a.log #0 /var/www/db.php(15): PDO->__construct('mysql:host=10.0.0.1;', 'ann', '<value>')
a.vbs net.MapNetworkDrive("Z:", "\\\\host\\share", False, "ann", "<value>")
a.sbt credentials += Credentials("Realm", "repo.example.com", "ann", "<value>")
a.py env.passwords = {"ann@10.0.0.1:22": "<value>"}
a.php 'crypt' => ['key' => '<value>'],
a.py p4.run_login('<value>')
a.py p4.run("login", input="<value>")
a.py p4.run_password("", "<value>")
a.py sg = shotgun_api3.Shotgun('https://a.example.com', 'pipeline', '<value>')
a.py wlan.connect('office', '<value>')
a.lua wifi.sta.config("office", "<value>")
a.lua redis:auth("<value>")
a.lua local header = mime.b64("ann:<value>")
a.py user.set_password('<value>')
a.java encryptor.setPassword("<value>");
a.py h = bcrypt.hashpw(b'<value>', bcrypt.gensalt())
a.js bcrypt.hashSync('<value>', 10);
a.go bcrypt.GenerateFromPassword([]byte("<value>"), 10)
a.php Hash::make('<value>');
a.php $user->password = bcrypt('<value>');
a.js firebase.auth().signInWithEmailAndPassword('ann@example.com', '<value>');
a.js xhr.open('GET', url, true, 'ann', '<value>');
a.java new JiraClient(url, "ann", "<value>");
a.java Credentials.basic("ann", "<value>");
a.java env.put(Context.SECURITY_CREDENTIALS, "<value>");
a.cs repository.Connection.Login("<value>");
a.cs new X509Certificate2("a.pfx", "<value>");
a.cs certificate.Export(X509ContentType.Pfx, "<value>");
a.cs ftp.Credentials = new NetworkCredential(@"CORP\\ann", @"<value>");
a.cs command.Parameters["@pwd"].Value = "<value>";
a.pas Query.ParamByName('password').AsString := '<value>';
a.cpp curl_easy_setopt(curl, CURLOPT_PASSWORD, "<value>");
a.cpp sqlite3_key(db, "<value>", 14);
a.cpp SSL_CTX_set_default_passwd_cb_userdata(ctx, (void*)"<value>");
a.cpp PKCS12_parse(p12, "<value>", &key, &certificate, &others);
a.cpp LogonUser(L"ann", L"CORP", L"<value>", 2, 0, &token);
a.cpp CreateProcessWithLogonW(L"ann", L"CORP", L"<value>", 0, app, line, 0, 0, 0, &si, &pi);
a.cpp InternetConnectA(session, "host", 21, "ann", "<value>", 1, 0, 0);
a.cpp WNetAddConnection2A(&resource, "<value>", "ann", 0);
a.cpp const unsigned char *password = (const unsigned char *)"<value>";
a.rs client.basic_auth("ann", Some("<value>"))
a.go nats.UserInfo("ann", "<value>")
a.pl $request->authorization_basic('ann', '<value>');
a.vbs conn.Open "DSN=x", "ann", "<value>"
a.vbs network.MapNetworkDrive "Z:", "\\\\srv\\a", False, "ann", "<value>"
a.au3 RunAs("ann", "CORP", "<value>", 0, "a.exe")
a.groovy new UsernamePasswordCredentialsImpl(CredentialsScope.GLOBAL, 'id', 'd', 'ann', '<value>')
a.sql PRAGMA key = '<value>';
a.sql UPDATE users SET password = MD5('<value>') WHERE id = 1;
a.feature And I fill in "Password" with "<value>"
a.m [serializer setValue:@"<value>" forHTTPHeaderField:@"X-Api-Key"];`);

const KEYS = placesOf(`a.py serializer = URLSafeTimedSerializer('<value>')
a.py fernet = Fernet(b'<value>')
a.py bot.run('<value>')
a.js client.login('<value>');
a.js const t = twilio(sid, '<value>');
a.js const stripe = require('stripe')('<value>');
a.js crypto.createCipheriv('aes-256-cbc', '<value>', iv);
a.js crypto.scryptSync('<value>', 'salt', 32);
a.js CryptoJS.AES.encrypt(data, '<value>');
a.js new WebClient('<value>');
a.js algoliasearch('APPID', '<value>');
a.java Jwts.builder().signWith(SignatureAlgorithm.HS256, "<value>");
a.java Algorithm.HMAC256("<value>");
a.java AwsBasicCredentials.create(keyId, "<value>");
a.cs new Rfc2898DeriveBytes("<value>", salt);
a.cpp EVP_BytesToKey(EVP_aes_256_cbc(), EVP_sha1(), salt, (unsigned char*)"<value>", 10, 1, key, iv);
a.cpp HMAC(EVP_sha256(), "<value>", 32, data, length, out, &size);
a.go jwt.NewWithClaims(method, claims).SignedString([]byte("<value>"))
a.go hmac.New(sha256.New, []byte("<value>"))
a.go store := sessions.NewCookieStore([]byte("<value>"))
a.rb OpenSSL::HMAC.hexdigest('SHA256', '<value>', data)
a.rb ActiveSupport::MessageEncryptor.new('<value>')
a.rs Credentials::new("ann".to_string(), "<value>".to_string());
a.lua local ok, err = red:auth("<value>")
a.cpp client.connect("sensor", "ann", "<value>");
a.php openssl_encrypt($d, 'aes-256-cbc', '<value>', 0, $iv);
a.sql SELECT pgp_sym_encrypt('x', '<value>');`);

const KEPT = `a.py ftp = ftplib.FTP(host, user, password)
a.py ssh.connect(host, 22, user, os.environ["SSH_PASSWORD"])
a.py redis.Redis('localhost', 6379, 0, None)
a.py p4.run_login()
a.py client.run('python3 job1.py')
a.py check_password(password, user.password)
a.js bcrypt.hash('password', 10);
a.js bcrypt.compare(password, user.hash);
a.js client.login(process.env.TOKEN_1);
a.js const stripe = require('stripe')(process.env.KEY_1);
a.js crypto.createCipheriv('aes-256-cbc', key, iv);
a.js crypto.scryptSync(password, 'salt1', 32);
a.js loader.getPassword("user1");
a.js userDecoder.decode("value1of2");
a.cs list["item1"].Value = "value1of2";
a.cs command.Parameters["@password"].Value = user.Password;
a.cs new X509Certificate2("a.pfx", password);
a.cs new X509Certificate2("a.pfx", "<password>");
a.go hmac.New(sha256.New, key)
a.go bcrypt.GenerateFromPassword([]byte(password), 10)
a.sql UPDATE users SET password = MD5(name || '1') WHERE id = 1;
a.vbs conn.Open "DSN=x1"
a.m [request setValue:@"application/json1" forHTTPHeaderField:@"Content-Type"];`.split('\n');

describe('calls with secrets', () => {
  it('RED-3: passwords by their place among the arguments', () => {
    expect(notHidden(PASSWORDS, V)).toEqual([]);
  });

  it('RED-3: keys of calls that sign, encrypt or log in by their place among the arguments', () => {
    expect(notHidden(KEYS, V)).toEqual([]);
  });

  it('RED-8: variables, references, samples and other arguments stay', () => {
    expect(
      notKept(
        KEPT.map((line) => {
          const space = line.indexOf(' ');
          return [line.slice(0, space), line.slice(space + 1)] as const;
        }),
      ),
    ).toEqual([]);
  });
});
