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
    for (let seed = 1; seed <= 300; seed += 1) expect(isCodeLiteral(madeUp(12 + (seed % 30), undefined, seed))).toBe(false);
  });
});
