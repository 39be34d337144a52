"""In which notations a password or a key beside its name is masked, whatever it is.

    python benchmarks/guard/notations.py [--rounds 20] [--show]

Each notation is filled with values of chance: passwords with three kinds of characters (`Zebra4711!`), weak ones
(`hunter42`), ones of small letters that spell nothing, keys of letters and digits, and keys in hexadecimal. A notation
counts as known where three values of four are gone; `--show` names the others.
"""

import argparse
import random
import string
from collections.abc import Callable, Sequence

from ragstone.guard import mask_secrets

KNOWN = 0.75
ALPHABET = string.ascii_letters + string.digits
ANIMALS = ("Zebra", "Lion", "Okapi", "Gazelle")
WORDS = ("hunter", "monkey", "summer", "kitten")
# `{v}` is the value, `{w}` another one; `\n` ends a line.
PASSWORDS = r"""
password: {v}
password: "{v}"
password = {v}
password = "{v}"
"password": "{v}",
'password': '{v}',
DB_PASSWORD={v}
export DB_PASSWORD='{v}'
ENV DB_PASSWORD {v}
ENV DB_PASSWORD="{v}"
<password>{v}</password>
<add key="DbPassword" value="{v}" />
<property name="password" value="{v}"/>
<property name="password">{v}</property>
<user name="zoo" password="{v}"/>
spring.datasource.password={v}
$password = "{v}"
$env:DB_PASSWORD = "{v}"
$pass = ConvertTo-SecureString "{v}" -AsPlainText -Force
set DB_PASSWORD={v}
setx DB_PASSWORD "{v}"
variable "db_password" {{\n  default = "{v}"\n}}
password    = "{v}"
postgres://zoo:{v}@db.lan:5432/app
Server=db;Database=app;User Id=zoo;Password={v};
Data Source=db;UID=zoo;PWD={v}
CREATE USER zoo IDENTIFIED BY '{v}';
CREATE USER zoo IDENTIFIED BY {v};
CREATE USER zoo WITH PASSWORD '{v}';
ALTER ROLE zoo PASSWORD '{v}';
CREATE LOGIN zoo WITH PASSWORD = '{v}';
curl -u zoo:{v} https://db.lan/
curl --user "zoo:{v}" https://db.lan/
mysql -u zoo -p{v} app
psql "host=db user=zoo password={v}"
sshpass -p '{v}' ssh zoo@db
- name: DB_PASSWORD\n  value: {v}
- name: DB_PASSWORD\n  value: "{v}"
  - DB_PASSWORD={v}
- "DB_PASSWORD={v}"
args: ["--password", "{v}"]
--password={v}
--password {v}
-e DB_PASSWORD={v} postgres
db.connect(user="zoo", password="{v}")
connect("zoo", password='{v}')
if password == "{v}":
String password = "{v}";
var password string = "{v}"
const password = `{v}`;
let dbPassword: string = '{v}';
:password => "{v}",
password: {v} # for the zoo
| password | {v} |
The password is {v}.
Password: {v}
**Password:** `{v}`
user: zoo / pass: {v}
machine db login zoo password {v}
{{"user": "zoo", "password": "{v}"}}
{{\"password\": \"{v}\"}}
&password={v}&user=zoo
https://db.lan/login?user=zoo&password={v}
  auth:\n    username: zoo\n    password: {v}
define('DB_PASSWORD', '{v}');
$config['db_password'] = '{v}';
password => '{v}',
db_password := "{v}"
[client]\nuser=zoo\npassword={v}
requirepass {v}
net user zoo {v} /add
echo "{v}" | sudo -S ls
echo 'zoo:{v}' | chpasswd
password: !!str {v}
password: &db {v}
PASSWORD="{v}" psql
passphrase: {v}
<input type="password" value="{v}">
ansible_ssh_pass={v}
os.environ["DB_PASSWORD"] = "{v}"
setenv DB_PASSWORD {v}
DB_PASSWORD: ${{DB_PASSWORD:-{v}}}
Passwort: {v}
pwd={v}
secrets:\n  db: {v}
Passwords: {v}, {w}
Passwords:\n{v}\n{w}
<p>Passwords:</p>\n<ul><li>{v}</li><li>{w}</li></ul>
x: &pw {v}\npassword: *pw
root:{v}@tcp(db:3306)/app
http_proxy=http://zoo:{v}@proxy:3128
"""
KEYS = r"""
api_key: {v}
api_key: "{v}"
API_KEY={v}
export API_KEY="{v}"
"apiKey": "{v}",
api-key = '{v}'
X-Api-Key: {v}
curl -H "X-Api-Key: {v}" https://a.lan
curl -H 'Authorization: Bearer {v}' https://a.lan
Authorization: Token {v}
Authorization: {v}
Authorization: ApiKey {v}
headers = {{"Authorization": "Bearer {v}"}}
headers: {{ 'X-Auth-Token': '{v}' }}
X-Auth-Token: {v}
Private-Token: {v}
https://a.lan/v1?api_key={v}&q=1
https://a.lan/v1?access_token={v}
https://a.lan/v1?key={v}
client_secret={v}
clientSecret: "{v}"
const token = "{v}";
token: {v}
<add key="ApiKey" value="{v}"/>
<apiKey>{v}</apiKey>
<string name="api_key">{v}</string>
<key>ApiKey</key>\n<string>{v}</string>
api_key    = "{v}"
ENV API_KEY {v}
- name: API_KEY\n  value: {v}
{{"name": "API_KEY", "value": "{v}"}}
stringData:\n  api-key: {v}
secret_key_base: {v}
SECRET_KEY = '{v}'
//registry.lan/:_authToken={v}
https://{v}@git.lan/zoo.git
https://oauth2:{v}@git.lan/zoo.git
https://x-access-token:{v}@git.lan/zoo.git
--token {v}
--api-key={v}
vault login {v}
Client.new(token: "{v}")
new Client({{ apiKey: "{v}" }})
ApiKey("{v}")
setApiKey("{v}")
client.set_token("{v}")
api.setToken('{v}');
| API key | {v} |
API key: {v}
Your API key is {v}
The token is `{v}`
The secret key: {v}
os.environ["API_KEY"] = "{v}"
process.env.API_KEY || "{v}"
getenv("API_KEY", "{v}")
System.setProperty("api.key", "{v}");
var apiKey = '{v}'
private static final String API_KEY = "{v}";
#define API_KEY "{v}"
api_key := "{v}"
tokens: ["{v}"]
tokens:\n  - {v}
webhook_secret: {v}
signing_secret={v}
ACCESS_KEY={v}
SERVICE_KEY={v}
STRIPE_KEY={v}
MAPBOX_KEY: {v}
encryption_key="{v}"
jwt_secret: {v}
docker login -u zoo -p {v}
Cookie: session={v}
git config http.extraheader "PRIVATE-TOKEN: {v}"
DSN=https://{v}@sentry.lan/42
API_TOKEN: {v}
api token {v}
apikey {v}
TWILIO_AUTH={v}
SONAR_LOGIN={v}
PAT: {v}
credentials: {v}
webhook: https://hooks.lan/services/{v}
"""


def main() -> None:
    """Print the share of known notations for each kind of value."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()
    chance = random.Random(7)
    makers: dict[str, tuple[str, Callable[[], str]]] = {
        "strong passwords": (PASSWORDS, lambda: f"{chance.choice(ANIMALS)}{chance.randrange(10, 9999)}!"),
        "weak passwords": (PASSWORDS, lambda: f"{chance.choice(WORDS)}{chance.randrange(10, 999)}"),
        "passwords of letters": (PASSWORDS, lambda: draw(chance, string.ascii_lowercase, 14)),
        "keys": (KEYS, lambda: draw(chance, ALPHABET, 32)),
        "keys in hexadecimal": (KEYS, lambda: draw(chance, "0123456789abcdef", 40)),
    }
    for name, (notations, make) in makers.items():
        lines = notations.strip().split("\n")
        missed = [line for line in lines if rate_notation(line.replace("\\n", "\n"), make, args.rounds) < KNOWN]
        print(f"{name}: {1 - len(missed) / len(lines):.3f} of {len(lines)} notations")
        for line in missed if args.show else ():
            print(f"    {line}")


def draw(chance: random.Random, letters: Sequence[str], count: int) -> str:
    return "".join(chance.choices(letters, k=count))


def rate_notation(notation: str, make: Callable[[], str], rounds: int) -> float:
    """The share of values that are gone."""
    gone = 0
    for _ in range(rounds):
        value, other = make(), make()
        text = notation.replace("{{", "\0").replace("}}", "\1").replace("{v}", value).replace("{w}", other)
        masked = mask_secrets(text.replace("\0", "{").replace("\1", "}"))
        gone += value not in masked and other not in masked
    return gone / rounds


if __name__ == "__main__":
    main()
