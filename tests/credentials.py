"""Credentials and benign texts, made up at run time: nothing in this file has the form of a credential.

`samples` makes texts with one credential of a kind, in many frames; `benign_texts` makes texts that have none, most of
them close to one. Both are determined by their seed.
"""

from __future__ import annotations

import base64
import hashlib
import json
import string
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from urllib.parse import quote

__all__ = ["SAMPLE_KINDS", "Sample", "benign_texts", "samples"]

LOWER, DIGITS = string.ascii_lowercase, string.digits
UPPER = LOWER.upper()
WORD = string.ascii_letters + DIGITS
URL64 = WORD + "-_"
HEX = DIGITS + "abcdef"
STD64 = WORD + "+/"
PET_WORDS = "sommer tiger Kaffee wolken Berlin sunshine rocket Garten dragon winter Mango violet"
SYMBOLS = "!#$%*+-.:=?@^_~()[]/"


@dataclass(frozen=True)
class Sample:
    kind: str
    text: str
    secret: str  # stands once in text


def chars(rng: Random, alphabet: str, size: int) -> str:
    return "".join(rng.choices(alphabet, k=size))


def b64(rng: Random, size: int) -> str:
    return base64.b64encode(rng.randbytes(size)).decode()


def b64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def password(rng: Random) -> str:
    """As people and password managers make them; from 8 to 24 characters."""
    word = rng.choice(PET_WORDS.split())
    match rng.randrange(5):
        case 0:
            return f"{word}{rng.randrange(10, 9999)}"
        case 1:
            return f"{word.capitalize()}{rng.choice('-_.')}{rng.randrange(100, 9999)}{rng.choice('!?#*')}"
        case 2:
            leet = word.replace("e", "3").replace("o", "0").replace("a", "4").replace("i", "1")
            return f"{leet}{chars(rng, '!?#*$', 2)}{rng.randrange(10, 99)}x"
    start = chars(rng, WORD, rng.randrange(3, 9))
    return f"{start}{rng.randrange(10)}{chars(rng, WORD + SYMBOLS, rng.randrange(5, 14))}k"


def random_secret(rng: Random) -> str:
    makers: list[Callable[[], str]] = [
        lambda: chars(rng, HEX, rng.choice([24, 32, 40, 64])),
        lambda: chars(rng, WORD, rng.randrange(20, 48)),
        lambda: chars(rng, URL64, rng.randrange(24, 64)) + "7q",
        lambda: b64(rng, rng.choice([24, 32, 48])),
        lambda: str(uuid.UUID(int=rng.getrandbits(128), version=4)),
    ]
    return rng.choice(makers)()


def pem(rng: Random, newline: str = "\n") -> str:
    label = rng.choice(["RSA ", "EC ", "", "OPENSSH ", "PGP ", "ENCRYPTED "])
    size = 48 if label == "" else rng.randrange(120, 1200)
    end = "PRIVATE KEY BLOCK" if label == "PGP " else "PRIVATE KEY"
    body = b64(rng, size)
    lines = [body[i : i + 64] for i in range(0, len(body), 64)]
    if label == "PGP ":
        lines = ["Version: GnuPG v2", "", *lines]
    return newline.join([f"-----BEGIN {label}{end}-----", *lines, f"-----END {label}{end}-----"])


def jwt(rng: Random) -> str:
    header = {"alg": rng.choice(["HS256", "RS256", "EdDSA"]), "typ": "JWT"}
    claims = {"sub": str(rng.randrange(10**9)), "iat": rng.randrange(10**9), "role": rng.choice(["admin", "user"])}
    parts = [b64url(json.dumps(part).encode()) for part in (header, claims)]
    return ".".join([*parts, b64url(rng.randbytes(rng.choice([32, 64, 256])))])


def discord_bot(rng: Random) -> str:
    user = b64url(str(rng.randrange(10**17, 10**19)).encode())
    return f"{user}.{chars(rng, URL64, 6)}.{chars(rng, URL64, rng.choice([27, 38]))}"


# Kinds that can be told by themselves: the credential alone, to be put into any frame.
BARE: dict[str, Callable[[Random], str]] = {
    "private_key": lambda r: r.choice([pem, lambda q: base64.b64encode(pem(q).encode()).decode()])(r),
    "substrate_key": lambda r: f"PRIVATE+KEY+substrate-{chars(r, HEX, 4)}+{chars(r, HEX, 8)}+{b64(r, 33)}",
    "age_key": lambda r: "AGE-SECRET-KEY-1" + chars(r, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "aws_access_key_id": lambda r: r.choice(["AKIA", "ASIA"]) + chars(r, UPPER + "234567", 16),
    "google_api_key": lambda r: "AIza" + chars(r, URL64, 35),
    "google_oauth_secret": lambda r: "GOCSPX-" + chars(r, URL64, 28),
    "google_oauth_token": lambda r: "ya29." + chars(r, URL64, r.randrange(60, 160)),
    "azure_client_secret": lambda r: f"{chars(r, WORD, 3)}{r.randrange(10)}Q~{chars(r, WORD + '_~.-', 33)}k",
    "github_token": lambda r: r.choice(
        ["gh" + r.choice("opusr") + "_" + chars(r, WORD, 36), f"github_pat_{chars(r, WORD, 22)}_{chars(r, WORD, 59)}"]
    ),
    "gitlab_token": lambda r: r.choice(["glpat-", "glpat-", "gldt-", "glrt-"]) + chars(r, URL64, 20),
    "slack_token": lambda r: r.choice(
        [
            f"xox{r.choice('bp')}-{r.randrange(10**11, 10**12)}-{r.randrange(10**11, 10**12)}-{chars(r, WORD, 24)}",
            f"xapp-1-A{chars(r, UPPER + DIGITS, 10)}-{r.randrange(10**12, 10**13)}-{chars(r, HEX, 64)}",
        ]
    ),
    "discord_token": discord_bot,
    "telegram_token": lambda r: f"{r.randrange(10**8, 10**10)}:AA{chars(r, URL64, 33)}",
    "stripe_key": lambda r: f"{r.choice('sr')}k_{r.choice(['live', 'test'])}_{chars(r, WORD, r.choice([24, 99]))}",
    "anthropic_key": lambda r: f"sk-ant-{r.choice(['api03', 'admin01'])}-{chars(r, URL64, 93)}AA",
    "openai_key": lambda r: r.choice(
        [
            f"sk-{chars(r, WORD, 20)}T3BlbkFJ{chars(r, WORD, 20)}",
            f"sk-{r.choice(['proj', 'svcacct', 'admin'])}-{chars(r, URL64, 74)}T3BlbkFJ{chars(r, URL64, 74)}",
        ]
    ),
    "huggingface_token": lambda r: "hf_" + chars(r, WORD, 34),
    "twilio_key": lambda r: "SK" + chars(r, HEX, 32),
    "sendgrid_key": lambda r: f"SG.{chars(r, URL64, 22)}.{chars(r, URL64, 43)}",
    "mailgun_key": lambda r: "key-" + chars(r, HEX, 32),
    "npm_token": lambda r: "npm_" + chars(r, WORD, 36),
    "pypi_token": lambda r: "pypi-AgEIcHlwaS5vcmc" + chars(r, URL64, 150),
    "docker_token": lambda r: "dckr_pat_" + chars(r, URL64, 27),
    "digitalocean_token": lambda r: f"do{r.choice('opr')}_v1_{chars(r, HEX, 64)}",
    "vault_token": lambda r: "hvs." + chars(r, URL64, r.choice([24, 95])),
    "terraform_token": lambda r: f"{chars(r, WORD, 14)}.atlasv1.{chars(r, WORD, 67)}",
    "databricks_token": lambda r: "dapi" + chars(r, HEX, 32),
    "shopify_token": lambda r: f"shp{r.choice(['at', 'ca', 'pa', 'ss'])}_{chars(r, HEX, 32)}",
    "atlassian_token": lambda r: f"ATATT3xFfGF0{chars(r, URL64, 172)}={chars(r, HEX.upper(), 8)}",
    "grafana_token": lambda r: f"glsa_{chars(r, WORD, 32)}_{chars(r, HEX, 8)}",
    "pinecone_key": lambda r: f"pcsk_{chars(r, WORD, 6)}_{chars(r, WORD, 63)}",
    "langsmith_key": lambda r: f"lsv2_{r.choice(['pt', 'sk'])}_{chars(r, HEX, 32)}_{chars(r, HEX, 10)}",
    "jwt": jwt,
    "prefixed_token": lambda r: f"{r.choice(['qu_', 'qex-', 'qr7_v1_', 'qo_sk_'])}{chars(r, WORD, 39)}7xQ",
}
FRAMES = [
    "{}",
    "{}\n",
    "export SERVICE_TOKEN={}",
    "API_KEY='{}'",
    'client = Client("{}")',
    '{{"name": "deploy", "token": "{}", "ttl": 3600}}',
    "service:\n  region: eu\n  credential: {}\n  retries: 3\n",
    "The deploy bot uses {} since March; ask Jana before you rotate it.",
    "we found {}, and revoked it",
    "Siehe Ticket 4711: {} läuft im Juni ab.",
    "密钥是{}。",
    "curl -H 'X-Service: {}' https://api.service.test/v1/items",
    "first line\\nTOKEN={}\\nlast line",
    "https://api.service.test/v1/items?key={}&page=2",
    "| who | what |\n|---|---|\n| ci | `{}` |\n",
    "Größe und Maß \U0001f511 {} \U0001f512",
]


def put(frame: str, kind: str, secret: str) -> Sample:
    return Sample(kind, frame.format(secret), secret)


# Kinds that only their surroundings tell.


def service_account(rng: Random) -> Sample:
    key = pem(rng, newline=r"\n")
    fields = {"type": "service_account", "private_key_id": chars(rng, HEX, 40), "private_key": "@", "client_id": "1"}
    text = json.dumps(fields, indent=rng.choice([None, 2])).replace("@", key)
    return Sample("gcp_service_account", text, key)


def aws_secret(rng: Random) -> Sample:
    frames = [
        "aws_secret_access_key = {}",
        "AWS_SECRET_ACCESS_KEY={}",
        '"SecretAccessKey": "{}"',
        "secretAccessKey: '{}',",
        "export AWS_SECRET_KEY={}",
        "aws secret key is {}",
        "AKIA" + chars(rng, UPPER, 16) + ",{}",
    ]
    return put(rng.choice(frames), "aws_secret_access_key", chars(rng, STD64, 40))


def azure_storage(rng: Random) -> Sample:
    frame = "DefaultEndpointsProtocol=https;AccountName=store;AccountKey={};EndpointSuffix=core.windows.net"
    bus = "Endpoint=sb://jobs.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={}"
    if rng.random() < 0.3:
        return put(bus, "azure_storage_key", b64(rng, 32))
    return put(rng.choice([frame, 'account_key="{}"', "storage key: {}"]), "azure_storage_key", b64(rng, 64))


def azure_sas(rng: Random) -> Sample:
    frame = "https://store.blob.core.windows.net/c?sv=2022-11-02&ss=b&se=2030-01-01&sp=r&sig={}"
    return put(frame, "azure_sas", quote(b64(rng, 32), safe=""))


def slack_webhook(rng: Random) -> Sample:
    path = f"T{chars(rng, UPPER + DIGITS, 10)}/B{chars(rng, UPPER + DIGITS, 10)}/{chars(rng, WORD, 24)}"
    return put("post to https://hooks.slack.com/services/{} on failure", "slack_webhook", path)


def discord_webhook(rng: Random) -> Sample:
    frame = f"https://discord{rng.choice(['', 'app'])}.com/api/webhooks/{rng.randrange(10**17, 10**18)}/{{}}"
    return put(frame, "discord_webhook", chars(rng, URL64, 68))


def basic_auth(rng: Random) -> Sample:
    pair = base64.b64encode(f"anna:{password(rng)}".encode()).decode()
    frames = ["Proxy-Authorization: Basic {}", "Authorization: Basic {}", '{{"Authorization": "Basic {}"}}']
    frames += ["curl -H 'authorization: basic {}' https://h", '{{"auths": {{"registry.test": {{"auth": "{}"}}}}}}']
    frames += ["//registry.test/:_auth={}"]
    return put(rng.choice(frames), "basic_auth", pair)


def bearer(rng: Random) -> Sample:
    frames = ["Proxy-Authorization: Bearer {}", "Authorization: Bearer {}", '"Authorization": "Bearer {}"']
    frames += ["curl -H 'authorization: bearer {}' https://h", "Authorization: ApiKey {}"]
    return put(rng.choice(frames), "bearer_token", random_secret(rng))


def client_argument(rng: Random) -> Sample:
    frame = rng.choice(["client = qex.Client('{}')", "qex login {}", 'Api("{}").run()', "qex auth {}"])
    return put(frame, "client_argument", random_secret(rng))


def pgpass(rng: Random) -> Sample:
    frame = rng.choice(["db.service.test:5432:shop:anna:{}", "*:*:*:app:{}", "# .pgpass\nlocalhost:6543:shop:app:{}\n"])
    return put(frame, "pgpass_password", f"{rng.choice(PET_WORDS.split())}{chars(rng, WORD, 6)}")


def netrc(rng: Random) -> Sample:
    frame = rng.choice(["machine api.service.test login anna password {}", "machine h\n  login anna\n  password {}\n"])
    return put(frame, "netrc_password", password(rng))


def command(rng: Random) -> Sample:
    frames = ["mysqldump --user=app --password {} shop", "curl -u anna:{} https://h/", "deploy --token '{}' now"]
    frames += ["sshpass -p {} ssh anna@host", "curl --user anna:{} https://h/", "mysql -h db -u root -p{} shop"]
    frames += ["docker login registry.test -u bot -p {}", "redis-cli -h cache -a {} ping", "sqlcmd -S db -U sa -P {}"]
    return put(rng.choice(frames), "command_password", password(rng))


SCHEMES = "postgres postgresql mysql mongodb mongodb+srv redis amqp http https ftp sftp smtp ldap mssql nats"


def url_password(rng: Random) -> Sample:
    scheme = rng.choice(SCHEMES.split())
    user = rng.choice(["app", "anna", "svc-1", "a.b", "" if rng.random() < 0.5 else "u"])
    secret = quote(password(rng), safe=rng.choice(["", SYMBOLS.replace("/", "")]))
    host = rng.choice(["db.service.test:5432/shop", "10.0.0.7", "localhost", "db.example.com/x?ssl=1", "[::1]:6379/0"])
    frame = rng.choice(["{}", "DATABASE_URL={}", 'url: "{}"', "see {} for it", "connect('{}')", "`{}`"])
    return put(frame.format(f"{scheme}://{user}:{{}}@{host}"), "url_password", secret)


PASSWORD_FRAMES = [
    "password={}",
    "DB_PASSWORD={}",
    "export PGPASSWORD='{}'",
    'password: "{}"',
    "db:\n  user: app\n  password: {}\n  port: 5432\n",
    '{{"user": "anna", "password": "{}", "port": 1}}',
    r"{{\"user\": \"anna\", \"password\": \"{}\"}}",
    "<user>anna</user><password>{}</password>",
    "passwd: {}",
    "pwd = '{}'",
    'conn = connect(host="h", password="{}")',
    'password: str = "{}"',
    "the admin password is {}",
    "Das Passwort lautet {}",
    "Kennwort: {}",
    "密码\N{FULLWIDTH COLON}{}",
    "spring.datasource.password={}",
    "Server=h;User Id=sa;Password={};Encrypt=true",
    "**Password**: `{}`",
    'smtp_pass = "{}"',
    "CREATE USER anna IDENTIFIED BY '{}'",
    "https://h/login?user=anna&password={}&next=home",
]
SECRET_FRAMES = [
    "SECRET_KEY={}",
    'api_key: "{}"',
    "token = '{}'",
    '{{"client_secret": "{}"}}',
    "apiKey: {}",
    "X-Api-Key: {}",
    "the token is {}",
    "API key: {}",
    "auth_token={}",
    'const token: string = "{}";',
    r"TOKEN={}\nPORT=1",
    "https://h/hook?token={}&id=7",
    "encryption_key => '{}'",
    "access_token: {}, expires: 3600",
    "webhook_secret: '{}'",
]
IN_CONTEXT: dict[str, Callable[[Random], Sample]] = {
    "gcp_service_account": service_account,
    "aws_secret_access_key": aws_secret,
    "azure_storage_key": azure_storage,
    "azure_sas": azure_sas,
    "slack_webhook": slack_webhook,
    "discord_webhook": discord_webhook,
    "basic_auth": basic_auth,
    "bearer_token": bearer,
    "client_argument": client_argument,
    "pgpass_password": pgpass,
    "netrc_password": netrc,
    "command_password": command,
    "url_password": url_password,
    "password": lambda r: put(r.choice(PASSWORD_FRAMES), "password", password(r)),
    "secret": lambda r: put(r.choice(SECRET_FRAMES), "secret", random_secret(r)),
}


def samples(kind: str, count: int, seed: int = 0) -> Iterator[Sample]:
    """`count` texts, each with one credential of `kind`; every frame is used before one is used again."""
    rng = Random(f"{seed} {kind}")
    for i in range(count):
        if kind in BARE:
            yield put(FRAMES[i % len(FRAMES)], kind, BARE[kind](rng))
        else:
            yield IN_CONTEXT[kind](rng)


SAMPLE_KINDS = {*BARE, *IN_CONTEXT}

# Texts without a credential. In braces: what is filled in, from FILL.
BENIGN = r"""
The {w} team moved the {w} to the {w} region in {year}; {w} and {w} follow, {n} rows at a time.
Users forget a password about {n} times a year, and a password policy does not help: length does. Passwords: {n}.
Ein Passwort muss mindestens {n} Zeichen haben. Das Passwort ist Pflicht, das Kennwort: siehe Handbuch Seite {n}.
Die Größe des Straßenfußes beträgt {n} mm; das Maß {w} ist geprüft. Donaudampfschifffahrtsgesellschaft {year}.
密码必须至少包含八个字符,请在 {year} 年之前修改密码。密码{colon}请联系管理员获取。令牌是 {n} 个字符。
パスワードは {n} 文字以上にしてください。パスワード{colon}管理者に確認 {year}
비밀번호는 {n}자 이상이어야 합니다. пароль должен быть длиннее {n} символов
commit {sha1} ({w}), parent {sha1}, tree {sha1}
root: {sha256} at size {n}, map root {sha256}
{sha256}  {w}-{year}.tar.gz
merkle root {b64_32} for head {n}; leaf {b64_32}; proof [{b64_32}, {b64_32}]
sha256:{sha256} sha512-{b64_64} integrity of {w}
verifier key {vkey} for origin {w}
token: {vkey}
{{"vkey": "{vkey}", "size": {n}, "key": "{vkey}"}}
substrate-{hex4}+{hex8}+{b64_sig} — signed head {n}
atom {uuid} version ({uuid}, {n}), session {uuid}
![plot](data:image/png;base64,iVBORw0KGgo{b64_long})
{{"image/png": "{b64_long}", "width": {n}}}
https://{w}.service.test/{w}/{n}?page={n}&sort={w}#top and http://localhost:{port}/@{w}/{w}
postgres://{w}@db.service.test:{port}/{w} without a password; ssh://git@{w}.test:{port}/{w}.git
git@github.com:{w}/{w}.git, mail {w}@{w}.example, http://127.0.0.1:{port}/lab?x={n}
DATABASE_URL=postgresql://user:password@localhost:{port}/{w}
url = f"postgres://{{user}}:{{password}}@{{host}}:{port}/{w}" or "postgres://%s:%s@%s/{w}"
postgres://{w}:${{DB_PASSWORD}}@db/{w} redis://:<password>@cache:{port} amqp://guest:guest@localhost:{port}/
mysql://root:root@localhost/{w} https://USER:PASS@host/{w} mongodb://admin:****@h{n}/{w}
password: <redacted>, tries {n}
password = os.environ["{W}_PASSWORD"]  # {n}
password = getpass.getpass("Password for {w}: ")
password: "{{{{ vault_{w}_password }}}}" # line {n}
DB_PASSWORD=${{{W}_PASSWORD}} TOKEN=$TOKEN{n} API_KEY=$(cat /run/secrets/{w})
token = request.headers.get("Authorization", "")[{n}:]
token=self.tokens[i + {n}]; secret = config.get_secret("{w}"); api_key=settings.{W}_API_KEY
api_key = "your-api-key-here"  # {w}
API_KEY=xxxxxxxxxxxxxxxxxxxxxxxx{n} TOKEN=<your {w} token> SECRET=changeme
api_key: YOUR_{W}_API_KEY, secret_key: <SECRET_KEY>, token: [token], password: ********{n}
password: str, token: Optional[str] = None, secret: bytes = b"" # {w} {n}
def login(user: str, password: str | None = None, token: str = "") -> {w}: return {n}
password: required|string|min:{n}, password_hash: see {w}
password_hash = "$2b$12${salt}" # {w}
"password": "must be at least {n} characters", "secret": "the name of the {w}"
secretName: {w}-{w}-v{d}, secretKeyRef: {{name: {w}-credentials, key: password}}
secret: {w}-tls-{year}, token: {w}-session-token-v{d}, api_key: my-{w}-key
next_page_token: {b64_32} nextPageToken={hex40} eos_token: "<|im_end|>" max_tokens: {n}
tokens: {n}, input_tokens={n}, output_tokens={n}, cost per token: 0.00{n}
tokenizer.encode("{w} {w}") -> token ids [{n}, {n}, {n}], pad_token_id={n}
primary_key: {uuid}, cache key: {sha1}, sort_key={w}#{n}, foreign key {w}_{n}, public_key: {b64_32}
key = {sha256}; key-value store with {n} keys; partition_key="{w}-{hex8}"
Authorization: Bearer <token>; Basic authentication for {w}; Bearer tokens expire after {n} s
Basic information about {w}: bearer of bad news {n}; Basic knowledge, bearer instruments
Authorization: Bearer ${{{W}_TOKEN}} and Basic dXNlcjpwYXNzd29yZA== in chapter {n}
{year}-03-{dd}T10:{dd}:{dd}Z INFO {w} request id={uuid} took {n} ms status=200 bytes={n}
{year}-03-{dd} 10:{dd} WARN auth: password check failed for {w} (attempt {d}); token expired at {n}
pass: {n}, fail: {d}, skipped: {d}; pass={n} of {n}; bypass: {w}{n}; compass: N{n}E{n}
PWD=/home/{w}/{w}{d}/src pwd: /var/lib/{w}-{year}
ISBN 978-3-{n}-{n}-{d}, phone +49 40 {n} {n}, IBAN DE{dd} {n} {n}, card 4111 1111 1111 1111
total {n}.{n} EUR, {n} units, ratio {d}.{n}e-{d}, 0x{hex8}, 0b1011, {n}%
v1.fact.{w}_{w} = {w}; v1.procedure.rotate_{w}_password; v1.constraint.no_secrets_in_{w}
v1.fact.{w}_token_lifetime = {n} minutes; v1.decision.password_hashing = Argon2id with {n} MiB
- supersedes v1.state.{w}_{year}; member_of v1.domain.{w}; hub_{w} -> v1.hub.{w}
for i in range({n}): rows[i] = hash_row(rows[i - 1], key=lambda r: r.{w})  # O(n)
SELECT {w}, COUNT(*) FROM {w}_{year} WHERE token_count > {n} GROUP BY 1;
import re; PATTERN = re.compile(r"://([^:]+):([^@]+)@{w}")
ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx{n}, sk-..., hf_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, AKIAIOSFODNN7EXAMPLE
tokens start with ghp_, glpat-, xoxb-, sk-ant-, AIza, SG. or npm_ ({w}, {n}); eyJ begins a JWT
hf_hub_download npm_config_registry sk-learn-{w} task-{w}-{n} risk-free-{w} desk-{hex8} key-{w}
-----BEGIN PUBLIC KEY-----\n{b64_long}\n-----END PUBLIC KEY-----
-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY----- ({w})
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b64_32} {w}@host
the secret of {w} is {w}: {w} and {w}; the token is expired, the key is under the {w} mat {n}
docker run -u 1000:1000 -e {W}={n} --user app:app {w}:{year}; tool --token-file /run/{w} --password-stdin
{w}.{w}@{w}.test changed the password on {year}-01-{dd}; reset the password: Settings > Account > Reset
Password: see 1Password vault "{w}"; Password: SHA-256 hashed; password: base64-encoded, token: OAuth2
<input type="password" name="password{d}" id="{w}-password" autocomplete="current-password" minlength="{n}">
"token": "0x{hex40}", "symbol": "{W}", "decimals": {d}
{{"cells": [{{"id": "{hex8}", "cell_type": "code", "execution_count": {n}, "source": ["{w} = {n}\\n"]}}]}}
$ pip install {w}=={d}.{d}.{dd} --hash=sha256:{sha256}
{W}_URL=https://{w}.service.test {W}_PORT={port} {W}_REGION=eu-central-{d} LOG_LEVEL=debug
"""
NOUNS = (
    "payment invoice stripe ledger harbour window garden model vector tree river paper signal market bridge"
    " copper planet notebook kernel widget session domain orchard lantern meadow engine summer winter Hamburg billing"
)
WORDS = NOUNS.split()
FILL: dict[str, Callable[[Random], str]] = {
    "colon": lambda _: "\N{FULLWIDTH COLON}",
    "w": lambda r: r.choice(WORDS),
    "W": lambda r: r.choice(WORDS).upper(),
    "n": lambda r: str(r.randrange(8, 10 ** r.randrange(2, 7))),
    "d": lambda r: str(r.randrange(1, 9)),
    "dd": lambda r: f"{r.randrange(10, 29)}",
    "port": lambda r: str(r.randrange(1000, 65000)),
    "year": lambda r: str(r.randrange(1990, 2030)),
    "sha1": lambda r: hashlib.sha1(r.randbytes(8), usedforsecurity=False).hexdigest(),
    "sha256": lambda r: hashlib.sha256(r.randbytes(8)).hexdigest(),
    "hex4": lambda r: chars(r, HEX, 4),
    "hex8": lambda r: chars(r, HEX, 8),
    "hex40": lambda r: chars(r, HEX, 40),
    "b64_32": lambda r: b64(r, 32),
    "b64_64": lambda r: b64(r, 64),
    "b64_sig": lambda r: b64(r, 68),
    "b64_long": lambda r: b64(r, r.randrange(300, 1500)),
    "salt": lambda r: chars(r, WORD + "./", 53),
    "uuid": lambda r: str(uuid.UUID(int=r.getrandbits(128), version=4)),
    "vkey": lambda r: f"substrate-{chars(r, HEX, 4)}+{chars(r, HEX, 8)}+A{b64(r, 33)[1:]}",
}


class _Fresh(dict[str, str]):
    """Fills every brace anew, so that two `{w}` in one line differ."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def __missing__(self, name: str) -> str:
        return FILL[name](self.rng)


def benign_texts(count: int, seed: int = 0) -> Iterator[str]:
    """`count` texts of one to three lines without a credential; every line above is used before one is used again."""
    rng = Random(seed)
    lines = BENIGN.strip().split("\n")
    for i in range(count):
        chosen = [lines[i % len(lines)], *rng.choices(lines, k=rng.choice([0, 0, 1, 2]))]
        yield "\n".join(line.format_map(_Fresh(rng)) for line in chosen).replace(r"\n", "\n" if i % 2 else r"\n")
