import { describe, expect, it } from 'vitest';
import { HEX, madeUp, notHidden, notKept, redactLine } from '../../testing/redact-line.js';

const V = madeUp(12);

describe('command lines', () => {
  it('RED-3: passwords of short flags go, the rest of the command stays', () => {
    const commands: readonly ((value: string) => string)[] = [
      (v) => `curl -s -u admin:${v} https://x.example`,
      (v) => `curl --user 'admin:${v}' https://x.example`,
      (v) => `mysql -uroot -p${v} main`,
      (v) => `sshpass -p ${v} ssh host`,
      (v) => `docker login -u svc -p ${v} registry.example`,
      (v) => `redis-cli -a ${v} ping`,
      (v) => `p4 -u svc -P ${v} info`,
      (v) => `bcp db.t out f -S mysql.example.com -U sa -P${v}`,
      (v) => `cf login -a api.example.com -u ann -p ${v} -o org`,
      (v) => `vault login -method=userpass username=ann password=${v}`,
      (v) => `curl https://x.example \\\n  -X POST \\\n  -u admin:${v}`,
      (v) => `twine upload -u ann -p ${v} dist/*`,
      (v) => `mosquitto_pub -h mq -u ann -P ${v} -t x`,
      (v) => `winexe -U CORP/ann%${v} //host cmd`,
      (v) => `lftp -u ann,${v} ftp://host`,
      (v) => `http -a ann:${v} https://x.example`,
      (v) => `net user ann ${v} /add`,
      (v) => `schtasks /create /tn job /ru ann /rp ${v} /tr a.exe`,
      (v) => `xfreerdp /u:ann /p:${v} /v:host`,
      (v) => `nmcli dev wifi connect office password ${v}`,
      (v) => `kadmin.local -q "addprinc -pw ${v} ann"`,
      (v) => `rabbitmqctl add_user ann ${v}`,
      (v) => `bundle config gems.example.com ann:${v}`,
      (v) => `snmpwalk -v3 -u ann -l authPriv -a SHA -A ${v} -x AES 10.0.0.1`,
      (v) => `snmpwalk -v3 -u ann -x AES -X ${v} 10.0.0.1`,
      (v) => `openssl rsa -passin pass:${v} -in k.pem`,
    ];
    for (const write of commands) expect(redactLine(write(V), 'run.sh').text).toBe(write('[REDACTED:command-line:1]'));
  });

  it('RED-3: a key in the place of the user, as services document it', () => {
    for (const key of [madeUp(20), madeUp(32, HEX), madeUp(20, HEX)])
      for (const write of [
        (v: string) => `curl -u ${v}: https://api.x.example/v2/users`,
        (v: string) => `curl -u "${v}:" https://api.x.example`,
        (v: string) => `curl --user ${v}:X -X GET https://api.x.example`,
      ])
        expect(redactLine(write(key), 'run.sh').text).toBe(write('[REDACTED:command-line:1]'));
    for (const text of [
      'curl -u administrator-of-site1: x',
      `curl -u ${madeUp(18, '0123456789')}: x`,
      'curl -u svc-deploy-2024: x',
    ])
      expect(redactLine(text, 'run.sh').text).toBe(text);
  });

  it('RED-3: literals that the shell joins; a literal in a literal', () => {
    const commands: readonly ((v: string) => string)[] = [
      (v) => `curl --user ann:'${v}' -X PATCH https://api.x.example`,
      (v) => `curl -u "ann":"${v}" https://api.x.example`,
      (v) => `run "ConvertTo-SecureString \\"${v}\\" -AsPlainText"`,
    ];
    for (const write of commands) expect(redactLine(write(V), 'run.sh').text).toBe(write('[REDACTED:command-line:1]'));
    for (const text of ['curl -u ann:"$PASSWORD" https://x.example', 'curl -u "$USER":"$PASSWORD" x'])
      expect(redactLine(text, 'run.sh').text).toBe(text);
  });

  it('RED-3: passwords by their place among the arguments of directories, databases, networks and stores', () => {
    const places = [
      'ldapadd -x -D cn=admin -w VALUE -f a.ldif',
      'auth_param basic program /usr/lib/squid/basic_ldap_auth -b dc=x -w VALUE -f uid=%s h',
      'ldappasswd -x -D cn=admin -s VALUE uid=ann',
      'slappasswd -s VALUE',
      'openssl passwd -1 VALUE',
      'useradd -p $(openssl passwd -6 -salt abcd VALUE) ann',
      'wpa_passphrase office VALUE',
      'vault kv put secret/db value=VALUE',
      'consul kv put -token=VALUE a b',
      '7z x a.zip -pVALUE',
      'plink -ssh -pw VALUE ann@host',
      'bteq .logon td/app,VALUE',
      "EXEC sp_addlogin 'app', 'VALUE'",
      "SET PASSWORD FOR 'root'@'localhost' = 'VALUE';",
      ['CONNECT system/', '@//db:1521/orcl'].join('VALUE'),
      'ftp -n host <<EOF\nuser ann VALUE\nEOF',
    ].map((command) => ['run.sh', (v: string) => command.replace('VALUE', v)] as const);
    expect(notHidden(places, V)).toEqual([]);
    expect(
      notKept([
        ['run.sh', 'openssl passwd -salt `openssl rand -base64 3` -1'],
        ['run.sh', 'vault login hvs.<token>'],
        ['run.sh', 'vault kv put secret/db value=@file1.json'],
        ['a.md', 'Please connect a/b testing1 to it.'],
        ['a.sh', './a.zip -p build/output1'],
      ]),
    ).toEqual([]);
  });

  it('RED-8: ports, variables and flags of other programs stay', () => {
    for (const text of [
      'mkdir -p build/output1',
      'p4 -p ssl:server1:1666 info',
      'mysql -p',
      'curl -u "$USER:$PASS" x',
      'docker login -u svc -p $TOKEN',
      'ssh -p 2222 host',
      'curl https://x.example\n  -u admin:letmein',
      'net user ann /delete',
      'net user ann * /add',
      'nmcli connection up office passwd-file /etc/pw',
      'mosquitto_sub -h mq -p 1883 -t x',
      'xfreerdp /u:ann /v:host',
      'bundle config set path vendor/bundle',
      'snmpwalk -v2c -c $COMMUNITY 10.0.0.1',
      "commands = ['mysql -p', 'p4 login']",
      "  'mysql -p',\\n  'p4 login',\\n",
    ])
      expect(redactLine(text, 'run.sh').text).toBe(text);
  });
});
