import { describe, expect, it } from 'vitest';
import { HEX, madeUp, notHidden, notKept } from '../../testing/redact-line.js';

const V = madeUp(16);

describe('directives', () => {
  it('RED-3: directives of servers, switches and installers', () => {
    const places = [
      ['haproxy.cfg', (v: string) => `  stats auth admin:${v}`],
      ['snmpd.conf', (v: string) => `createUser ann SHA ${v} AES`],
      ['router.cfg', (v: string) => `enable secret 0 ${v}`],
      ['router.cfg', (v: string) => `username ann password 7 ${v}`],
      ['redis.conf', (v: string) => `requirepass ${v}`],
      ['ks.cfg', (v: string) => `rootpw --plaintext ${v}`],
      ['snmpd.conf', (v: string) => `createUser ann SHA other-word AES ${v}`],
      ['snmpd.conf', (v: string) => `rocommunity ${v} 10.0.0.0/24`],
      ['haproxy.cfg', (v: string) => `  user ann insecure-password ${v}`],
      ['router.cfg', (v: string) => `tacacs-server host 10.0.0.1 key 7 ${v}`],
      ['router.cfg', (v: string) => `crypto isakmp key ${v} address 10.0.0.1`],
      ['router.cfg', (v: string) => ` ip ospf message-digest-key 1 md5 ${v}`],
      ['router.cfg', (v: string) => ` ip ospf authentication-key 7 ${v}`],
      ['router.cfg', (v: string) => ` standby 1 authentication md5 key-string ${v}`],
      ['router.cfg', (v: string) => ` neighbor 10.0.0.1 password ${v}`],
      ['squid.conf', (v: string) => `cache_peer proxy parent 3128 0 no-query login=ann:${v}`],
      ['proftpd.conf', (v: string) => `SQLConnectInfo main@db ann ${v}`],
      ['users.acl', (v: string) => `user ann on >${v} ~* +@all`],
      ['proxychains.conf', (v: string) => `socks5 10.0.0.1 1080 ann ${v}`],
      ['vm.args', (v: string) => `-setcookie ${v}`],
      ['a.sh', (v: string) => `echo "mysql-server mysql-server/root_password password ${v}" | debconf-set-selections`],
      ['mysqld.log', (v: string) => `A temporary password is generated for root@localhost: ${v}`],
      ['jenkins.log', (v: string) => `Please use the following password to proceed to installation:\n\n${v}\n`],
      ['preseed.cfg', (v: string) => `d-i passwd/root-password password ${v}`],
      ['router.cfg', (v: string) => `tacacs-server key ${v}`],
      ['junos.conf', (v: string) => `pre-shared-key ascii-text "${v}";`],
      ['server.cfg', (v: string) => `sv_setsteamaccount "${v}"`],
      ['.yarnrc.yml', (v: string) => `npmAuthIdent: "ann:${v}"`],
      ['local.ini', (v: string) => `[admins]\nadmin = ${v}`],
      ['upload.ftp', (v: string) => `open ftp.example.com\nuser ann ${v}\nbinary`],
      ['snmpd.conf', (v: string) => `trapcommunity ${v}`],
      ['snmpd.conf', (v: string) => `trap2sink 10.0.0.1 ${v}`],
      ['snmpd.conf', (v: string) => `com2sec monitor 10.0.0.0/24 ${v}`],
      ['switch.cfg', (v: string) => `snmp community ${v} ro`],
      ['switch.cfg', (v: string) => `radius-server host 10.0.0.1 auth-port 1812 secret "${v}"`],
      ['switch.cfg', (v: string) => `tacplus-server host 10.0.0.1 secret ${v}`],
      ['router.cfg', (v: string) => ` ip nhrp authentication ${v}`],
      ['router.cfg', (v: string) => `ntp authentication-key 1 md5 ${v}`],
      ['junos.conf', (v: string) => `authentication { md5 1 key "${v}"; }`],
      ['network.uci', (v: string) => `\toption key '${v}'`],
      ['nuget.config', (v: string) => `TenantToken ${v}`],
      ['sentinel.conf', (v: string) => `sentinel auth-pass main ${v}`],
      ['router.cfg', (v: string) => `radius-server key 7 ${v}`],
      ['asa.cfg', (v: string) => ` ikev1 pre-shared-key ${v}`],
      ['pjsip.conf', (v: string) => `md5_cred=${v}`],
      ['lau.txt', (v: string) => `lau.key.left=${v}`],
      ['slapd.conf', (v: string) => ` bindmethod=simple binddn="cn=repl" credentials=${v}`],
      ['a.sh', (v: string) => `cat > /var/lib/rabbitmq/.erlang.cookie <<< ${v}`],
      ['send.jcl', (v: string) => `//INPUT    DD *\nANN\n${v}\nPUT 'A' a`],
      ['ftp.sh', (v: string) => `quote PASS ${v}`],
      ['history.txt', (v: string) => `127.0.0.1:6379> AUTH ${v}`],
      ['Kx.key', (v: string) => `host. IN KEY 512 3 157 ${v}`],
      ['robot.robot', (v: string) => `*** Variables ***\n\${USER}        ann\n\${PASSWORD}    ${v}\n`],
      [
        'load.jmx',
        (v: string) =>
          `<elementProp name="j_password" elementType="HTTPArgument">\n  <stringProp name="Argument.value">${v}</stringProp>`,
      ],
      ['wlan.xml', (v: string) => `<keyMaterial>${v}</keyMaterial>`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
    const letters = madeUp(9, 'ghjkmnpqrtvwxyz');
    for (const rest of ['RW', 'RO 99'])
      expect(notHidden([['router.cfg', (v) => `snmp-server community ${v} ${rest}`]], letters)).toEqual([]);
  });

  it('RED-3: tokens in the files of package managers and command-line tools, words included', () => {
    const places = [
      ['.npmrc', (v: string) => `//npm.example.com/:_authToken=${v}`],
      ['.npmrc', (v: string) => `//npm.example.com/:_password="${v}"`],
      ['.gem/credentials', (v: string) => `:rubygems_api_key: ${v}`],
      ['.cargo/credentials.toml', (v: string) => `[registry]\ntoken = "${v}"`],
      ['.cargo/credentials.toml', (v: string) => `[registries.acme]\ntoken = "${v}"`],
      ['.terraformrc', (v: string) => `credentials "app.example.com" {\n  token = "${v}"\n}`],
      ['.kube/config', (v: string) => `users:\n- name: a\n  user:\n    token: ${v}`],
      ['.msmtprc', (v: string) => `host smtp.example\nuser ann\npassword ${v}`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
    expect(notHidden(places, `${madeUp(4, 'lnrst')}${madeUp(5, 'aeiou', 3)}`)).toEqual([]);
  });

  it('RED-3: accounts of tunnels, proxies, monitors and brokers', () => {
    const places = [
      ['ipsec.secrets', (v: string) => `ann : EAP "${v}"`],
      ['ipsec.secrets', (v: string) => `: RSA gateway.pem "${v}"`],
      ['ipsec.secrets', (v: string) => `@left @right : PSK "${v}"`],
      ['chap-secrets', (v: string) => `ann * "${v}" *`],
      ['squid.conf', (v: string) => `cachemgr_passwd ${v} all`],
      ['resource.cfg', (v: string) => `$USER4$=${v}`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
    expect(notHidden([['users.acl', (v) => `user ann on #${v} ~*`]], madeUp(64, HEX))).toEqual([]);
    const gossip = `${madeUp(43)}=`;
    expect(notHidden([['consul.json', (v) => `{"encrypt": "${v}"}`]], gossip)).toEqual([]);
    for (const [path, write] of [
      ['fortigate.conf', (v: string) => `  set password ENC ${v}`],
      ['netplan.yaml', (v: string) => `keys: {public: key.pub, shared: "${v}"}`],
      ['tsig.txt', (v: string) => `nsupdate -y tsig hmac-sha256 ${v}`],
    ] as const)
      expect(notHidden([[path, write]], gossip)).toEqual([]);
    expect(notHidden([['key.md', (v) => `Copy of config/master.key:\n\n${v}\n`]], madeUp(32, HEX))).toEqual([]);
    expect(notHidden([['tor/private_key', (v) => `ED25519-V3:${v}`]], `${madeUp(86)}==`)).toEqual([]);
    expect(
      notHidden([['nuget.config', (v) => `<apikeys>\n  <add key="https://nuget.example.com" value="${v}" />`]], gossip),
    ).toEqual([]);
    expect(notHidden([['nomad.hcl', (v) => `encrypt = "${v}"`]], gossip)).toEqual([]);
  });

  it('RED-8: what only begins like a directive stays', () => {
    expect(
      notKept([
        ['a.md', 'You can enable secret scanning for it.'],
        ['a.md', 'Turn it on > settings, and use key 7 of them.'],
        ['a.md', 'A temporary password is generated for each user: see the log.'],
        ['router.cfg', ' neighbor 10.0.0.1 remote-as 65001'],
        ['a.md', 'The stats auth page shows them.'],
        ['snmpd.conf', 'com2sec monitor default public'],
        ['switch.cfg', 'snmp community public ro'],
        ['junos.conf', 'authentication { md5 1 key'],
        ['a.c', 'requirepass = 1;'],
        ['.npmrc', `//npm.example.com/:_authToken=\${NPM_TOKEN}`],
        ['a.toml', '[registry]\ndefault = "acme"'],
        ['a.yaml', `user:\n  token: \${{ secrets.USER_TOKEN }}`],
        ['resource.cfg', '$USER1$=/usr/lib/nagios/plugins'],
        ['a.md', 'The types are char * "name" and int * "size".'],
        ['main.tf', 'encrypt = "aws:kms"'],
        ['a.md', 'Modes of Wi-Fi: eap is one, psk another.'],
      ]),
    ).toEqual([]);
  });
});
