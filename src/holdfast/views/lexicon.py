"""Words that decisions are made of: what negates, what is contrary, what excludes what.

Lists, not rules: `phrases` reads with them, `contradictions` judges with them. Words stand here as
people write them and are compared by their stems. What is not listed is not lost: the rules work on
any words, these only let them see further.
"""

from __future__ import annotations

from typing import Final


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NEGATORS: Final = _words("not no never neither nor none nothing cannot nowhere")

REMOVERS: Final = _words(
    """
    disable exclude omit drop remove delete forbid deny reject refuse avoid stop skip ban prevent
    disallow prohibit hide withdraw revoke discard abandon retire eliminate
    suppress block ignore off unsupported
    """
)
"""Doing one of these is not doing its contrary: they negate, and say nothing else."""

KEEPERS: Final = _words(
    """
    enable include keep add retain preserve allow permit accept approve on support continue
    maintain introduce expose
    """
)
"""The contrary of those: what is meant without being said."""

GENERIC: Final = _words(
    """
    a about adopt all already also always an and any are as at be been being both but by can choose
    chosen could day-to-day default do does during each either every for from further get give go
    going goes had has have here hence how if in instead into is it its just let leave like make may
    might more most must need new now of only onto or other our out over own part per pick prefer
    put rather remain run set shall should so some stay stick still such switch take than that the
    their them then there these they this those through thus to too up upon use via want was we well
    were what when where whether which while who will with within work would you your until unless
    between across after-all end up live store hold represent contain become mean happen current
    one's everything everyone everybody anyone
    """
)
"""Words that join, and verbs that any choice could be put with."""

CHOOSING: Final = _words("use adopt choose prefer pick select take")

BOUNDS: Final = _words(
    """
    require support accept allow need minimum maximum min max least most limit cap exactly about
    up newer later older
    """
)
"""Words around a number that do not say what is measured."""

ADDITIVE: Final = _words(
    """
    include add support log show allow accept test check validate verify record emit document
    handle cover return display report track warn alert notify provide offer list mention
    """
)
"""Who does one of these with one thing may do it with another."""

PREPOSITIONS: Final = _words(
    """
    in on at with without by for from to into onto under over as via through between per after
    before above below against within when where while around
    """
)

ARTICLES: Final = frozenset(_words("a an the our its their this that all every"))

PLAIN_NAMES: Final = frozenset(
    _words("api url uri ui ux ci cd id ids sdk cli os io pr prs qa db http https dto")
)
"""Written like names, and common words all the same."""

CONTRARIES: Final = _words(
    """
    before/after early/late eager/lazy sync/async synchronous/asynchronous public/private
    strict/lenient strict/loose strict/permissive mutable/immutable ascending/descending asc/desc
    soft/hard strong/eventual strong/weak optimistic/pessimistic local/remote global/local
    static/dynamic internal/external manual/automatic manually/automatically
    mandatory/optional required/optional sequential/parallel serial/parallel single/multiple
    stateful/stateless blocking/nonblocking blocking/non-blocking online/offline light/dark
    inclusive/exclusive shared/dedicated shared/separate central/local
    centralized/distributed monolith/microservice monolithic/microservice push/pull push/poll
    first/last oldest/newest fifo/lifo upper/lower uppercase/lowercase tab/space inline/external
    relative/absolute persistent/ephemeral permanent/temporary startup/demand boot/demand
    startup/request eagerly/demand plaintext/encrypted plain/encrypted squash/preserve
    squash/individual
    immediately/gradually immediately/deferred forever/temporarily per-user/global
    write-through/write-back write-through/write-behind composition/inheritance
    implicit/explicit opt-in/opt-out allowlist/denylist whitelist/blacklist
    vertical/horizontal sparse/dense fail-open/fail-closed fail-fast/continue
    normalized/denormalized nullable/required signed/unsigned 32-bit/64-bit
    """
)

EXCLUSIVE: Final = {
    "data store": """postgresql postgres mysql mariadb sqlite oracle mssql mongodb mongo dynamodb
        cassandra couchdb cockroachdb redis memcached valkey etcd clickhouse bigquery snowflake
        duckdb leveldb rocksdb firestore neo4j elasticsearch opensearch solr meilisearch fts5
        in-memory memory s3 gcs minio disk filesystem""",
    "broker": """kafka rabbitmq nats sqs pulsar activemq zeromq kinesis pubsub celery sidekiq""",
    "language": """python go golang rust java kotlin swift typescript javascript ruby php scala
        elixir erlang c++ c# zig haskell ocaml dart flutter lua perl""",
    "frontend": "react vue angular svelte solid preact ember htmx flutter swiftui jquery",
    "state": "redux zustand mobx recoil jotai vuex pinia xstate",
    "styling": "tailwind bootstrap sass less styled-components emotion",
    "test runner": "pytest unittest nose jest vitest mocha junit rspec playwright cypress selenium",
    "http client": "httpx requests aiohttp urllib3 urllib axios fetch curl",
    "web framework": """django flask fastapi starlette tornado rails sinatra express koa fastify
        spring gin echo actix axum laravel phoenix""",
    "message format": """json protobuf avro thrift msgpack xml yaml toml ini csv parquet cbor bson
        plaintext hocon jsonl""",
    "rpc": "grpc rest graphql soap websocket json-rpc trpc",
    "hash": "argon2 argon2id bcrypt scrypt pbkdf2 sha256 sha-256 md5 sha1 blake3 xxhash",
    "signature": "rs256 hs256 es256 ed25519 eddsa rsa ecdsa hmac",
    "license": "mit apache apache-2.0 gpl gplv3 agpl lgpl bsd mpl proprietary",
    "package manager": "npm pnpm yarn bun pip poetry uv pipenv conda pdm cargo maven gradle",
    "build": "bazel gradle maven make cmake meson webpack vite rollup esbuild turbopack ninja",
    "linter": "ruff flake8 pylint eslint biome black prettier tslint",
    "host": "aws gcp azure heroku fly vercel netlify digitalocean hetzner cloudflare",
    "deployment": "kubernetes k8s nomad ecs ec2 systemd docker-compose lambda swarm vm bare-metal",
    "branches": "trunk-based gitflow trunk",
    "concurrency": "thread process asyncio event-loop actor coroutine goroutine fork greenlet",
    "scheduler": "cron airflow celery-beat temporal prefect dagster systemd-timer quartz",
    "metrics": "prometheus statsd datadog graphite influxdb cloudwatch opentelemetry",
    "templates": "jinja jinja2 mako mustache handlebars erb liquid ejs",
    "case": "snake_case camelcase kebab-case pascalcase snake camel kebab",
    "time zone": "utc local-time",
    "identifier": "uuid uuidv4 uuidv7 ulid auto-increment snowflake-id nanoid serial",
    "structure": "heap list tree array deque set dict hashmap btree b-tree trie skiplist",
    "auth": "jwt cookie session-cookie oauth saml basic-auth api-key mtls oidc",
    "compression": "gzip zstd brotli lz4 snappy deflate",
    "ci": "github-actions gitlab-ci jenkins circleci travis buildkite",
    "vector": "hnsw ivf flat annoy faiss pgvector",
    "vcs hosting": "github gitlab bitbucket gitea",
    "money": "float decimal integer cents",
}
"""Things of which a choice takes one, by what they are."""

NUMBERS: Final = {
    word: number
    for number, word in enumerate(
        _words("zero one two three four five six seven eight nine ten eleven twelve")
    )
}
