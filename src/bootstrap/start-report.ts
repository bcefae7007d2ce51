import { styleText } from 'node:util';
import { COMMAND } from '../common/command-name';
import type { Settings } from '../common/config';
import { VERSION } from '../common/version';
import type { Vacancy } from '../vacancies';
import { type Team, firstAdminFile } from './first-admin';
import type { Serving } from './serve';

/** More links than this are not listed one by one. */
const MOST_LINKS = 12;

/** What a process that has just started says about itself. */
export interface StartReport {
  readonly settings: Settings;
  readonly serving: Serving;
  /** Where the data is: a folder, or a server without its password. */
  readonly database: string;
  /** The admin token that was made for this run; null: the settings have one, or none. */
  readonly runToken: string | null;
}

interface Row {
  readonly label: string;
  /** The first of them stands beside the label, the others below it. */
  readonly lines: readonly string[];
}

const NAME = 'bold';
const LINK = 'cyan';
const LABEL = 'dim';
type Style = typeof NAME | typeof LINK | typeof LABEL;
type Paint = (style: Style, text: string) => string;

/** For a person: one aligned row for everything that can be opened, is on or off, and to stop. */
export function startText(report: StartReport, options: { readonly hasColours: boolean }): string {
  const paint: Paint = (style, text) =>
    options.hasColours ? styleText(style, text, { validateStream: false }) : text;
  const rows = rowsOf(report, paint);
  const width = Math.max(...rows.map(({ label }) => label.length)) + 2;
  const lines = rows.flatMap((row) =>
    row.lines.map((line, n) => {
      const label = (n === 0 ? row.label : '').padEnd(width);
      return `  ${paint(LABEL, label)}${line}`;
    }),
  );
  return ['', `  ${paint(NAME, `Colloquy ${VERSION} is ready`)}`, '', ...lines, '', ''].join('\n');
}

/**
 * For a log: without secrets. The links of vacancies are there only without a PUBLIC_URL, while
 * Colloquy is being tried; a log never holds links that candidates use, nor the token of a run.
 */
export function startFields({ settings, serving, database }: StartReport): Record<string, unknown> {
  const { http, llm, telegram, notion, admin } = settings;
  const { baseUrl, port, vacancies } = serving;
  const listed = vacancies.filter(isOpen).slice(0, MOST_LINKS);
  return {
    version: VERSION,
    url: baseUrl,
    port,
    docs: http.isLocal || http.managementToken !== '' ? `${baseUrl}/docs` : 'off',
    team: teamField(settings, serving),
    recruiters: admin.tokens.length > 0 ? `${baseUrl}/console` : 'off',
    interviewer: llm.apiKey === '' ? 'scripted' : llm.model,
    ...(llm.fallback === null ? {} : { fallback: llm.fallback.model }),
    telegram: telegram.token === '' ? 'off' : telegram.mode,
    notion: notion.token === '' ? 'off' : 'on',
    database,
    vacancies: vacancies.length,
    ...(vacancies.length === 0 ? { interviews: noneYet(settings).join('; ') } : {}),
    ...(http.publicUrl === ''
      ? { links: listed.map(({ openToken }) => `${baseUrl}/i/${openToken}`) }
      : {}),
  };
}

/** A team's own database begins empty, unlike the embedded one. */
function noneYet({ database }: Settings): string[] {
  const none = `none yet; import your vacancy: ${COMMAND} vacancy import FILE.yaml`;
  return database.url === null ? [none] : [none, 'examples load only into the embedded database'];
}

function isOpen({ closedAt }: Vacancy): boolean {
  return closedAt === null;
}

function rowsOf({ settings, serving, database, runToken }: StartReport, paint: Paint): Row[] {
  const { baseUrl, vacancies, team } = serving;
  const link = (place: string): string => paint(LINK, `${baseUrl}${place}`);
  return [
    {
      label: 'Interviews',
      lines: vacancies.length === 0 ? noneYet(settings) : interviewLines(vacancies, baseUrl, paint),
    },
    { label: 'Front page', lines: [link('/')] },
    { label: 'Team', lines: [teamLine(settings, team, link('/console/sign-in'), paint)] },
    { label: 'Recruiters', lines: recruiterLines(settings, runToken, link('/console'), paint) },
    { label: 'API', lines: [docsLine(settings, link('/docs'))] },
    { label: 'Interviewer', lines: [interviewerLine(settings)] },
    { label: 'Telegram', lines: [telegramLine(settings)] },
    {
      label: 'Notion',
      lines: [settings.notion.token === '' ? 'off; set NOTION_TOKEN to turn it on' : 'on'],
    },
    { label: 'Data', lines: [database] },
    { label: 'Stop', lines: ['Ctrl-C; what was begun is finished first'] },
  ];
}

function interviewLines(all: readonly Vacancy[], baseUrl: string, paint: Paint): string[] {
  const vacancies = all.filter(isOpen);
  if (vacancies.length === 0)
    return [`all vacancies are closed; ${COMMAND} vacancy reopen SLUG opens one again`];
  const lines = vacancies
    .slice(0, MOST_LINKS)
    .flatMap(({ title, company, openToken }) => [
      `${paint(NAME, title)}, ${company}`,
      paint(LINK, `${baseUrl}/i/${openToken}`),
    ]);
  const others = vacancies.length - MOST_LINKS;
  return others > 0 ? [...lines, `and ${others} more: ${COMMAND} vacancy list`] : lines;
}

function teamLine(
  { oidc }: Settings,
  { hasUsers, firstAdminLink }: Team,
  signIn: string,
  paint: Paint,
): string {
  if (hasUsers || oidc?.isOnly === true) return signIn;
  return firstAdminLink === null
    ? NO_USERS
    : `${paint(LINK, firstAdminLink)}, the first admin; works once`;
}

const NO_USERS = `no users yet; invite the first admin: ${COMMAND} user create --role admin`;

/** Without the link of the first admin: whoever reads the log could be that admin. */
function teamField({ database, oidc }: Settings, { baseUrl, team }: Serving): string {
  if (team.hasUsers || oidc?.isOnly === true) return `${baseUrl}/console/sign-in`;
  return team.firstAdminLink === null
    ? NO_USERS
    : `no users yet; the link of the first admin is in ${firstAdminFile(database.dataDir)}`;
}

function recruiterLines(
  { admin }: Settings,
  runToken: string | null,
  link: string,
  paint: Paint,
): string[] {
  if (admin.tokens.length === 0) return ['off; set ADMIN_TOKEN to turn it on'];
  if (runToken === null) return [`${link}, with an admin token of the settings`];
  return [
    link,
    `admin token of this run: ${paint(NAME, runToken)}`,
    'set ADMIN_TOKEN for one that stays',
  ];
}

function docsLine({ http }: Settings, link: string): string {
  if (http.managementToken !== '') return `${link}, with MANAGEMENT_TOKEN as the password`;
  return http.isLocal ? link : 'its description is off; set MANAGEMENT_TOKEN to turn it on';
}

function interviewerLine({ llm }: Settings): string {
  if (llm.apiKey === '') return 'scripted interviewer; set OPENAI_API_KEY for AI';
  return llm.fallback === null
    ? llm.model
    : `${llm.model}, and ${llm.fallback.model} while it is away`;
}

function telegramLine({ telegram }: Settings): string {
  if (telegram.token === '') return 'off; set TELEGRAM_BOT_TOKEN to turn it on';
  const name = telegram.botName === '' ? '' : `, @${telegram.botName}`;
  return `on${name} (${telegram.mode})`;
}
