/** The layers of ARCHITECTURE.md: imports go downward only, a folder is entered by its index.ts. */
const L2 =
  'buffer|delivery|access|llm|knowledge|streams|vacancies|candidates|attention|notion-sync';
/** A second face: the embedded server is a program of its own inside its layer. */
const EMBEDDED = '^src/persistence/embedded/index\\.ts$';
/** What commands use of the process: its start, and the application for one command. */
const START = '^src/bootstrap/(start|command-context|core\\.module)\\.ts$';
/** Rooms of one file, which is their face. */
const SINGLE = '^src/common/[^/]+\\.ts$';
const L4 = 'channels/[^/]+/|admin|health';
/** The contract of channels: imported by every room, and itself only by common. */
const CHANNEL_CONTRACT = '^src/channels/[^/]+\\.ts$';
/** A second face: a channel's adapter, without the libraries of the channel. */
const ADAPTER = '^src/channels/[^/]+/[^/]+\\.channel\\.ts$';
/** Second faces: what others say to the reviews and the boards must not load the client of Notion. */
const NOTION_ROWS = '^src/notion-sync/(reviews/index|sync/replays)\\.ts$';
/** Second faces: what is there while SCORING is off, and the commands. */
const SCORING = '^src/scoring/(records\\.module|cli/index)\\.ts$';

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'persistence-imports-common-only',
      severity: 'error',
      from: { path: '^src/persistence/' },
      to: { path: '^src/', pathNot: '^src/(common|persistence)/' },
    },
    {
      name: 'common-imports-nothing',
      severity: 'error',
      from: { path: '^src/common/' },
      to: { path: '^src/', pathNot: '^src/common/' },
    },
    {
      name: 'jobs-import-only-common-and-persistence',
      severity: 'error',
      from: { path: '^src/jobs/' },
      to: { path: '^src/', pathNot: '^src/(common|persistence|jobs)/' },
    },
    {
      name: 'capabilities-are-strangers',
      severity: 'error',
      from: { path: `^src/(${L2})/` },
      to: { path: '^src/', pathNot: ['^src/(common|persistence|jobs|$1)/', CHANNEL_CONTRACT] },
    },
    {
      name: 'channel-contract-imports-only-common',
      severity: 'error',
      from: { path: CHANNEL_CONTRACT },
      to: { path: '^src/', pathNot: ['^src/common/', CHANNEL_CONTRACT] },
    },
    {
      name: 'channels-are-strangers',
      severity: 'error',
      from: { path: '^src/channels/([^/]+)/' },
      to: { path: '^src/channels/[^/]+/', pathNot: '^src/channels/$1/' },
    },
    {
      name: 'interview-knows-no-channel',
      severity: 'error',
      from: { path: '^src/interview/' },
      to: { path: `^src/(${L4}|privacy|scoring|cli|bootstrap|main|app)` },
    },
    {
      name: 'interview-knows-neither-attention-nor-notion',
      severity: 'error',
      from: { path: '^src/interview/' },
      to: { path: '^src/(attention|notion-sync)/' },
    },
    {
      name: 'privacy-knows-no-channel',
      severity: 'error',
      from: { path: '^src/privacy/' },
      to: { path: `^src/(${L4}|scoring|cli|bootstrap|main|app)` },
    },
    {
      name: 'invitations-know-candidates-and-vacancies-only',
      severity: 'error',
      from: { path: '^src/invitations/' },
      to: {
        path: '^src/',
        pathNot: '^src/(common|persistence|jobs|candidates|vacancies|invitations)/',
      },
    },
    {
      name: 'scoring-stands-apart',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(scoring/|bootstrap/|cli/colloquy\\.ts$)' },
      to: { path: '^src/scoring/' },
    },
    {
      name: 'scoring-knows-no-channel',
      severity: 'error',
      from: { path: '^src/scoring/', pathNot: '^src/scoring/cli/' },
      to: { path: `^src/(${L4}|privacy|cli|bootstrap|main|app)` },
    },
    {
      name: 'nobody-imports-a-channel',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/((app\\.module|main)\\.ts$|bootstrap/|cli/)|^src/(channels/([^/]+))/',
      },
      to: { path: '^src/channels/[^/]+/' },
    },
    {
      name: 'only-the-root-composes',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/((main|app\\.module)\\.ts|bootstrap/|cli/|scoring/cli/)',
      },
      to: { path: '^src/((main|app\\.module)\\.ts|bootstrap/|cli/)' },
    },
    {
      name: 'a-folder-is-entered-by-its-face',
      severity: 'error',
      from: { path: '^src/(common/[^/]+|channels/[^/]+|[^/]+)/' },
      to: {
        path: '^src/(common/[^/]+|channels/[^/]+|[^/]+)/.+',
        pathNot: [
          '^src/$1/',
          // Only the root and commands of other rooms import it at all.
          '^src/cli/',
          EMBEDDED,
          ADAPTER,
          NOTION_ROWS,
          SCORING,
          SINGLE,
          START,
          '^src/(common/[^/]+|channels/[^/]+|[^/]+)/index\\.ts$',
        ],
      },
    },
    {
      name: 'the-root-enters-by-the-face',
      severity: 'error',
      from: { path: '^src/((main|app\\.module)\\.ts$|bootstrap/)' },
      to: {
        path: '^src/(common/[^/]+|channels/[^/]+|[^/]+)/.+',
        pathNot: [
          EMBEDDED,
          NOTION_ROWS,
          SCORING,
          ADAPTER,
          SINGLE,
          '^src/bootstrap/',
          '^src/(common/[^/]+|channels/[^/]+|[^/]+)/index\\.ts$',
        ],
      },
    },
    {
      name: 'typeorm-and-pg-stay-below',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/(common/uow|persistence)/|\\.(entity|repository)\\.ts$',
      },
      to: { path: 'node_modules/(typeorm|pg)/' },
    },
    {
      name: 'the-server-knows-no-page',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(web|test|tools|bench)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
