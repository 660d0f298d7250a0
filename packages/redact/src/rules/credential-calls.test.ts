import { describe, expect, it } from 'vitest';
import { HEX, madeUp, notHidden, notKept } from '../testing/redact-line.js';

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

  it('RED-3: a pair of user and password that is encoded for a header, a value for a key', () => {
    const places = [
      ['a.js', (v: string) => `const h = 'Basic ' + btoa('ann:${v}');`],
      ['a.js', (v: string) => `Buffer.from('ann:${v}').toString('base64')`],
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

  it('RED-8: names, paths, samples and other pairs stay', () => {
    expect(
      notKept([
        ['a.py', 'server.login(user, password)'],
        ['a.py', 'self.client.login("ann", "<password>")'],
        ['a.ts', "page.login('/login', 'Please log in first');"],
        ['a.js', "btoa('user:password')"],
        ['a.js', "btoa('https://a.example/x1')"],
        ['a.js', `Buffer.from('sha256:${V}')`],
        ['a.m', '[config setValue:@"Arial12" forKey:@"fontName"];'],
      ]),
    ).toEqual([]);
  });
});
