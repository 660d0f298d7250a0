import { describe, expect, it } from 'vitest';
import { madeUp, notHidden, notKept } from '../../testing/redact-line.js';

const V = madeUp(14);

/** `<value>` stands for the password. */
const COMMANDS = `security unlock-keychain -p <value> build.keychain
security create-keychain -p "<value>" build.keychain
security import a.p12 -k build.keychain -P <value> -T /usr/bin/codesign
security set-key-partition-list -S apple-tool:,apple: -s -k <value> build.keychain
security add-generic-password -a ann -s build -w <value>
xcrun altool --upload-app -f a.ipa -u ann@example.com -p <value>
certutil -f -p <value> -importpfx a.pfx
pvk2pfx -pvk a.pvk -pi <value> -spc a.spc -pfx a.pfx
pvk2pfx -pvk a.pvk -spc a.spc -pfx a.pfx -po <value>
AzureSignTool sign -kvu https://a.example.com -kvi id -kvs <value> a.exe
nuget setapikey <value> -Source https://nuget.example.com
nuget push a.nupkg -k <value>
choco apikey -k <value> -s https://push.example.com
cargo login <value>
poetry config pypi-token.pypi <value>
poetry config http-basic.acme ann <value>
conan user ann -p <value> -r acme
steamcmd +login buildbot <value> +run_app_build a.vdf +quit
steamcmd.exe +login "buildbot" "<value>" +quit
p4 passwd -P <value> ann
pdftk a.pdf output b.pdf owner_pw <value>
iwconfig wlan0 key s:<value>
wpa_cli set_network 0 psk '"<value>"'
vmrun -T ws -gu ann -gp <value> runProgramInGuest a.vmx cmd.exe
winrs -r:srv -u:ann -p:<value> dir
rasdial vpn ann <value>
autologon.exe ann CORP <value>
reg add "HKLM\\SOFTWARE\\a\\Winlogon" /v DefaultPassword /t REG_SZ /d <value> /f
bitsadmin /setcredentials job SERVER BASIC ann <value>
mc alias set minio https://minio.example.com minioadm <value>
b2 authorize-account 0012ab34cd56 <value>
doctl auth init -t <value>
addauth digest super:<value>
neo4j-admin set-initial-password <value>
grafana-cli admin reset-admin-password <value>
gitlab-runner register -n -u https://git.example.com -r <value>
bash <(curl -s https://codecov.example/bash) -t <value>
snyk auth <value>
ngrok authtoken <value>
ngrok config add-authtoken <value>
vault operator unseal <value>
knife bootstrap srv -x ann -P <value> --sudo
useradd -m -p <value> ann
openssl dgst -sha256 -hmac <value> a.txt
openssl aes-256-cbc -K <value> -iv 00 -in a.enc
mysqladmin -u root password <value>
ssh-keygen -t ed25519 -N <value> -f id
ccrypt -K <value> a
steghide embed -cf a.jpg -ef b.txt -p <value>
samba-tool user create ann <value>
ipa-client-install -p admin -w <value> -U
swaks --to a@example.com -au ann -ap <value>
sendEmail -f a@example.com -xu ann -xp <value>
rclone obscure <value>
mount -t cifs //srv/a /mnt -o user=ann%<value>
dscl . -passwd /Users/ann <value>
vsce publish -p <value>
eas secret:create --name A_TOKEN --value <value>
redis-cli -h a AUTH <value>
emqx_ctl users add ann <value>
rabbitmqctl authenticate_user ann <value>
ejabberdctl register ann example.com <value>
rman target sys/<value>@ORCL
db2 connect to SAMPLE user db2inst1 using <value>
isql mydsn sa <value> -b
snmpset -v2c -c <value> 10.0.0.1 sysContact.0 s ann
Set-ADAccountPassword -Identity ann -NewPassword (ConvertTo-SecureString -AsPlainText "<value>" -Force)
New-LocalUser ann -Password (ConvertTo-SecureString <value> -AsPlainText -Force)
rar a -hp<value> a.rar src
7za x a.7z -p<value>
usermod -P <value> root
ectool --server build.example.com login ann <value>
signtool.exe sign -f a.pfx -p <value> a.exe
@NoPromptForPassword 1\\nlogin ann <value>\\nforce_install_dir ../a
Input Password    id=password    <value>
Input Text    id=password    <value>
net rpc info -U ann%<value> -S srv
p4 login <<< <value>
sudo -S <<< <value> apt update
osql -S db -U sa -P <value>
cqlsh -u app -p <value>
crane auth login reg.example.com -u ann -p <value>
dotnet nuget add source https://a.example -n b -u ann -p <value>
cypher-shell -u neo4j -p "<value>"
gbak -b -user SYSDBA -pas <value> a.fdb a.fbk
vsql -U dbadmin -w <value>
couchdb -u admin:<value>
mosquitto_passwd -b /etc/mosquitto/passwd ann <value>
mkstore -wrl . -create <<< '<value>'
rsync --password-file=<(echo '<value>') -a src dst::m
check_http -H host -a monitor:<value>
useradd -m -P <value> ann
pmcmd startworkflow -u ann -p <value> -f tools daily
pmrep connect -r main -n ann -x <value>
orapki wallet create -wallet . -pwd <value>
mkstore -wrl . -createCredential db ann <value>
dsadd user CN=ann,DC=example -pwd <value>
ktpass /princ http/a@EXAMPLE /pass <value> /out a.keytab
kadmin -p ann/admin -w <value> -q listprincs
infacmd.sh ping -un ann -pd <value>
ktab -a ann@EXAMPLE <value> -k a.keytab
addent -password -p ann -k 1 -e aes256-cts\\n<value>\\nwkt a.keytab
dtexec /f a.dtsx /de <value>
rskeymgmt -e -f a.snk -p <value>
coap-client -u ann -k <value> coaps://10.0.0.1/
createaccount "ann" "<value>"
Worksheet.Protect Password:="<value>"`.split('\n');

const KEPT = `steamcmd +login anonymous +app_update 1007 +quit
vault operator unseal $UNSEAL_KEY
security unlock-keychain -p "$KEYCHAIN_PASSWORD" build.keychain
xcrun altool --upload-app -f a.ipa -u ann@example.com -p @keychain:altool1
xcrun altool --upload-app -f a.ipa -u ann@example.com -p "@env:ALTOOL_PW1"
snmpget -v2c -c public 10.0.0.1 sysName.0
docker run -u node:1000 -p 8080:80 -w /app/v2 a
docker run -u 1000:1000 -p 127.0.0.1:80:80 a
ssh -l ann1 -p 2222 host1
cargo login
cargo login <token>
ngrok authtoken <your-token-1>
psql -U ann -w -d db1
useradd -m -p $HASH1 ann
wc -l a.txt <<< text1
cat <<< "p4 login1"
tool -u ann -p build/output1
tool -u ann -p project1.json
tool -p value1of2
rsync -u file1:part2 host
snyk auth %SNYK_TOKEN%`.split('\n');

describe('positional arguments', () => {
  it('RED-3: passwords by their place among the arguments, and behind short options where a user stands before', () => {
    expect(
      notHidden(
        COMMANDS.map(
          (command) => ['run.sh', (v: string) => command.replaceAll('<value>', v).replaceAll('\\n', '\n')] as const,
        ),
        V,
      ),
    ).toEqual([]);
  });

  it('RED-3: a password of small letters and digits behind the user of a registry', () => {
    expect(notHidden([['run.sh', (v) => `skopeo copy --src-creds=ann:${v} docker://a dir:a`]], 'r4ven5178')).toEqual(
      [],
    );
  });

  it('RED-8: references, ports, paths and words stay', () => {
    expect(notKept(KEPT.map((command) => ['run.sh', command] as const))).toEqual([]);
  });
});
