import { describe, expect, it } from 'vitest';
import { HEX, madeUp, notHidden, notKept } from '../testing/redact-line.js';
import { isCodeLiteral } from './code-literals.js';

describe('literals of code', () => {
  it('RED-8: names, algorithms, statements, formats and messages beside the name of a secret stay', () => {
    expect(
      notKept([
        ['a.py', "expose = ['X-Auth-Token', 'X-Request-Id', 'X-OpenStack-Api-Version']"],
        ['a.php', "$session->setSecret('AuthManager::accountCreationState', $state);"],
        ['a.php', "'/user-password' => 'App\\\\Controllers\\\\UserPasswordController',"],
        ['a.py', "PASSWORD_HASHERS = ['django.contrib.auth.hashers.PBKDF2SHA1PasswordHasher']"],
        ['a.ps1', '$password = [NullString]::Value'],
        ['a.erl', "identity_pass_phrase('rsa-sha2-256') -> rsa_pass_phrase;"],
        ['a.conf', "password_encryption = 'scram-sha-256'"],
        ['a.py', 'AUTH_STATUS_PASS = b"\\x01"'],
        ['a.js', "var pass = '#snmp_password';"],
        ['a.conf', "files = ['.htpasswd', '.htaccess']"],
        ['a.php', "$meta['pass'] = array('password', '_caution' => 'danger');"],
        ['a.php', "$conf['update-user-pass'] = 'UPDATE user SET pass = :hash WHERE id = :uid';"],
        ['a.txt', 'Heslo : @PASSWORD@'],
        ['a.php', "$smtp_pass = '(none)';"],
        ['a.sh', 'password="root:x:0:0:root:/root:/bin/bash"'],
        ['a.json', '{"pattern": "^arn:[-a-z0-9]*:secretsmanager:[-a-z0-9]*:[0-9]{12}:secret:.+"}'],
        ['a.py', 'serverFromString(reactor, "ssl:443:privateKey=key.pem:certKey=crt.pem")'],
        ['a.py', `key = b"AAAA${'B3NzaC1yc2E'}AAAABIwAAAQEA${madeUp(40)}"`],
        ['a.php', "$cap = ['CRYPTO_SECRETBOX_KEYBYTES', 'CRYPTO_SECRETSTREAM_XCHACHA20POLY1305_ABYTES'];"],
        ['a.py', `hashes = {'ConsoleAuthToken': '1.1-${madeUp(32, HEX)}'}`],
        ['a.php', '$scripts->add(\'application-passwords\', "/js/application-passwords$suffix.js");'],
        ['a.json', '{"param-password": "Contrase\u00f1a.", "other-password": "Passwort."}'],
        ['a.yml', 'label_api_access_key: API-Zugriffsschl\u00fcssel'],
        ['a.php', '$row->password = ":B:{$row->id}:{$row->password}";'],
        ['a.py', "self._omit_token = '__omit_token__%s' % digest"],
        ['a.yml', 'mail_subject_lost_password: "Password %{value}"'],
        ['a.php', "$this->addOption('no-reset-password', 'Don\\'t reset the password of the user');"],
        ['a.json', '{"required": ["Password", "DnsIps"]}'],
        [
          'a.json',
          '{"AWS::ApiGateway::ApiKey": "aws-cdk-lib/aws-apigateway.CfnApiKey", "SECRET_FLAG": "@acme/cognito:logUserPoolClientSecretValue"}',
        ],
        ['a.js', "const secretmanager = google.secretmanager('v1beta1');"],
        ['a.json', '{"a": "secret", "(google.api.http).body": "secret"}'],
        ['a.mjs', ' * @returns {Promise<{secretKey: Uint8Array, sharedKey: Uint8Array}>}'],
        ['a.js', 'console.error(`[NO_SECRET]`, `\\nhttps://docs.test/errors#no_secret`);'],
        ['a.js', "icon = ok ? 'report-icon--checklist-pass' : 'report-icon--checklist-fail';"],
        ['a.js', ' * Any functions you pass to `transform()` will run after it.'],
        ['a.ps1', '$secret = [System.Convert]::FromBase64String($secret)'],
        ['a.ps1', 'SafeModeAdministratorPassword = (ConvertTo-SecureString $password -AsPlainText -Force)'],
        ['a.txt', 'v1password = swiftclient.authv1:PasswordLoader'],
        ['a.rb', "PasswdModifyOid = '1.3.6.1.4.1.4203.1.11.1'"],
        ['a.ps1', 'ADS_UF_DONT_EXPIRE_PASSWD = 0x00010000,'],
        ['a.conf', 'url_password = edit.php?table=adminpassword'],
        ['a.py', 'found.update("password", "(distinguishedName=" + str(dn) + ")")'],
        ['a.py', "key.replace('secret', 'text/plain;charset=utf-8')"],
        ['a.py', "r += ', password={0.password!r}'.format(self)"],
        ['a.go', 'TypeTokenKey OdataType = "#Microsoft.Media.ContentKeyPolicyX509CertificateTokenKey"'],
        ['a.json', `{"checkout_sha": "${madeUp(40, HEX)}"}`],
        ['a.js', "const credentials = await this.getCredentials('boxOAuth2Api');"],
        ['a.md', 'auth: oauth2Client'],
        ['a.ts', 'readonly INVALID_PASSWORD: "auth/wrong-password";'],
        [
          'a.ts',
          'VerifyPassword = "identitytoolkit#VerifyPasswordResponse", RESET_PASSWORD = "/v1/accounts:resetPassword",',
        ],
        ['a.ts', 'readonly enableSetPasswordInApi: "?boolean";'],
        ['a.html', '<a href="passwordcheck.html">F.26. passwordcheck</a>'],
        ['a.py', `auth_secret_uuid = "${madeUp(8, HEX)}-1234-4321-8765-${madeUp(12, HEX)}"`],
      ]),
    ).toEqual([]);
  });

  it('RED-8: code between two literals is no value, whatever joins them', () => {
    expect(
      notKept([
        ['a.php', "$s .= '<input type=\"password\" '. attributes($attrs, true) .' /></label>';"],
        ['a.php', `<?php _e( 'Password:' ); ?></span> <?php echo $result['password']; ?>`],
        ['a.php', "exec(\"mysqldump -u\" . $user . ' -p' . $password . ' ' . $database);"],
        ['a.py', 'prompt = "{}@{}\'s password: ".format(self.user, options["host"])'],
        ['a.php', '$row = fetch("SELECT PASSWORD(\'" . $password . "\') AS `password`;");'],
        ['a.php', "<div class=\"post_password\">' . esc_html( $post->post_password ) . '</div>';"],
      ]),
    ).toEqual([]);
  });

  it('RED-1: no value takes long to tell, whatever it repeats before it ends otherwise', () => {
    const units = [
      '$abcdefghij',
      '{a}',
      '/a',
      '::a',
      '.A',
      '-a',
      '_A1',
      'Aa',
      '-sha',
      '[a-z',
      '%{a}',
      "'é",
      '\\x41',
      '1.',
      'a.b:',
    ];
    const heads = ['', '/a/', 'ssh', 'A', 'a', '[', '@a/', 'É'];
    const from = process.cpuUsage();
    for (const head of heads) for (const unit of units) isCodeLiteral(`${head}${unit.repeat(200)}!?;`);
    // Microseconds each where no expression backtracks, and minutes where one does. Of this process
    // alone: the load of the machine does not count.
    expect(process.cpuUsage(from).user).toBeLessThan(10_000_000);
  });

  it('RED-3: what only begins or looks like one of them goes', () => {
    const places = [
      ['a.ts', (v: string) => `const password = '${v}';`],
      ['a.json', (v: string) => `{"password": "${v}"}`],
    ] as const;
    for (const value of [
      '#snmp_passw0rd',
      'X-ray7Delta',
      'aes256!Kq4',
      '@PASS@w0rd',
      '(none)9k',
      'h\u00e4ngematte',
      'select4me2',
      'Abc::9?x',
    ])
      expect(notHidden(places, value)).toEqual([]);
    for (let seed = 1; seed <= 300; seed += 1)
      expect(isCodeLiteral(madeUp(12 + (seed % 30), undefined, seed))).toBe(false);
  });
});
