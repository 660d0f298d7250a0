import { describe, expect, it } from 'vitest';
import { type KeyStrength, strengthOfWords, wordsOf } from './key-names.js';

const strengthOfKey = (name: string): KeyStrength => strengthOfWords(wordsOf(name));

describe('key names', () => {
  it('RED-3: names are read word by word in any case', () => {
    expect(wordsOf('DB_apiKeyID')).toEqual(['db', 'api', 'key', 'id']);
    expect(['password', 'dbPass', 'SMTP_PWD', 'P4PASSWD', 'userPassword2'].map(strengthOfKey)).toEqual(
      Array(5).fill('password'),
    );
    expect(['clientSecret', 'access_token', 'JWT_SECRET', 'authToken'].map(strengthOfKey)).toEqual(
      Array(4).fill('secret'),
    );
    expect(
      ['apiKey', 'AWS_SECRET_ACCESS_KEY', 'x-api-key', 'privateKey', 'MJ_APIKEY_PRIVATE'].map(strengthOfKey),
    ).toEqual(Array(5).fill('key'));
    expect(['key', 'token', 'auth', 'session'].map(strengthOfKey)).toEqual(Array(4).fill('weak'));
  });

  it('RED-3: joined and foreign words, and what is typed a second time', () => {
    const names = [
      'root_pw',
      'bindpw',
      'ldap_default_authtok',
      'requirepass',
      'clave',
      'haslo',
      'wachtwoord',
      'password_confirmation',
    ];
    expect(names.map(strengthOfKey)).toEqual(names.map(() => 'password'));
    expect(['controlpass', 'remotepass', 'mot de passe'].map(strengthOfKey)).toEqual(Array(3).fill('password'));
    expect(['validationKey', 'wep_key0'].map(strengthOfKey)).toEqual(Array(2).fill('key'));
    expect(['API_TOKEN_SALT', 'authsalt', 'aes_nonce'].map(strengthOfKey)).toEqual(Array(3).fill('weak'));
    expect(['oauth_nonce', 'salted'].map(strengthOfKey)).toEqual(Array(2).fill('none'));
    expect(strengthOfKey('password_hash')).toBe('weak');
    expect(['pass4SymmKey', 'clear-text'].map(strengthOfKey)).toEqual(Array(2).fill('password'));
    expect(['nwkKey', 'devKey', 'enc_key', 'groupKey'].map(strengthOfKey)).toEqual(['key', 'key', 'key', 'weak']);
    expect(['confirm', 'tokenConfirm', 'enclave', 'hash'].map(strengthOfKey)).toEqual(Array(4).fill('none'));
  });

  it('RED-8: names about a secret, and look-alikes, say nothing', () => {
    const names = [
      'passwordLength',
      'token_url',
      'secretName',
      'keyboard',
      'monkey',
      'primaryKey',
      'public_key',
      'PUBLISHABLE_KEY',
      'siteKey',
      'nextToken',
      'max_tokens',
      'passwordPolicy',
      'access_key_id',
      'author',
    ];
    expect(names.map(strengthOfKey)).toEqual(names.map(() => 'none'));
  });
});
