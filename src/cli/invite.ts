import { parseArgs } from 'node:util';
import type { Candidate } from '../candidates';
import { isStorable } from '../common/text';
import {
  type InvitationSecrets,
  type Vacancy,
  candidateLink,
  shownPin,
  telegramLink,
  withInvitationSecrets,
} from '../vacancies';
import { type CliContext, withCli } from './cli-context';
import {
  RefusedInputError,
  UsageError,
  runCommand,
  expiryOf,
  printableLine,
  timeText,
} from './output';

const USAGE = `npm run invite -- --vacancy SLUG [--name NAME] [--telegram @USER] [--expires 7d|2026-12-31]
       npm run invite -- --vacancy SLUG --candidate ID [--expires …]    a new link; the old one and its browsers end`;

const OPTIONS = {
  vacancy: { type: 'string' },
  name: { type: 'string' },
  telegram: { type: 'string' },
  expires: { type: 'string' },
  candidate: { type: 'string' },
} as const;

const TELEGRAM_USER = /^@?([a-z][a-z0-9_]{3,31})$/i;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const MAX_NAME = 120;
const NO_BOT = "none: set TELEGRAM_BOT_NAME to your bot's name";

interface Request {
  readonly slug: string;
  /** Whom to invite again; otherwise a new candidate of whom this is known. */
  readonly candidateId: string | null;
  readonly known: { name?: string; telegramUsername?: string };
  readonly expires: string | null;
}

/** `npm run invite`: a personal invitation, shown once. */
async function main(): Promise<void> {
  const request = requestOf(parseArgs({ options: OPTIONS, strict: true }).values);
  await withCli((cli) => invite(cli, request));
}

function requestOf(values: Partial<Record<keyof typeof OPTIONS, string>>): Request {
  const { vacancy, name, telegram, expires, candidate } = values;
  if (vacancy === undefined) throw new UsageError('Say which vacancy: --vacancy SLUG.');
  if (candidate !== undefined && (name !== undefined || telegram !== undefined)) {
    throw new UsageError('--candidate is somebody known: leave out --name and --telegram.');
  }
  if (candidate !== undefined && !UUID.test(candidate)) {
    throw new UsageError(`--candidate ${candidate}: expected the id that invite printed`);
  }
  return {
    slug: vacancy,
    candidateId: candidate ?? null,
    known: {
      ...(name === undefined ? {} : { name: nameOf(name) }),
      ...(telegram === undefined ? {} : { telegramUsername: telegramOf(telegram) }),
    },
    expires: expires ?? null,
  };
}

function nameOf(text: string): string {
  const name = text.trim();
  if (name !== '' && name.length <= MAX_NAME && isStorable(name)) return name;
  throw new UsageError(`--name: expected 1 to ${String(MAX_NAME)} characters`);
}

function telegramOf(text: string): string {
  const user = TELEGRAM_USER.exec(text)?.[1];
  if (user !== undefined) return user.toLowerCase();
  throw new UsageError(`--telegram ${text}: expected a Telegram user name like @anna_k`);
}

async function invite(cli: CliContext, request: Request): Promise<void> {
  const { expires } = request;
  const expiresAt = expires === null ? null : expiryOf(expires, cli.clock.now());
  await withInvitationSecrets(cli.pinKeys, async (secrets) => {
    const issued = await issue(cli, request, { secrets, expiresAt });
    print(cli, secrets, issued);
  });
}

interface Issued {
  readonly vacancy: Vacancy;
  readonly candidate: Candidate;
  readonly expiresAt: Date;
}

function issue(
  cli: CliContext,
  { slug, candidateId, known }: Request,
  { secrets, expiresAt }: { secrets: InvitationSecrets; expiresAt: Date | null },
): Promise<Issued> {
  return cli.commit('invitation.issue', async (tx) => {
    const vacancy = await cli.vacancies.getBySlug(tx, slug);
    const candidate =
      candidateId === null
        ? await cli.candidates.create(tx, known)
        : await cli.candidates.find(tx, candidateId);
    if (candidate === null) throw new RefusedInputError('There is no candidate with this id.');
    const invitation = await cli.invitations.issue(tx, {
      vacancyId: vacancy.id,
      candidateId: candidate.id,
      secrets,
      ...(expiresAt === null ? {} : { expiresAt }),
    });
    // Whoever came in by the link that is replaced has to come by the new one.
    await cli.sessions.endOfInvited(tx, { candidateId: candidate.id, vacancyId: vacancy.id });
    return { vacancy, candidate, expiresAt: invitation.expiresAt };
  });
}

function print(
  cli: CliContext,
  { token, pin }: InvitationSecrets,
  { vacancy, candidate, expiresAt }: Issued,
): void {
  const { botName } = cli.settings.telegram;
  const name = candidate.name ?? candidate.telegramUsername ?? 'a candidate';
  console.log(`Invitation of ${printableLine(name)}: ${vacancy.title}, ${vacancy.company}`);
  console.log(`  Web link       ${candidateLink(cli.settings.http, token)}`);
  console.log(`  Telegram link  ${botName === '' ? NO_BOT : telegramLink(botName, token)}`);
  console.log(`  PIN            ${shownPin(pin)}`);
  console.log(`  Valid until    ${timeText(expiresAt)}`);
  console.log('The links and the PIN are shown only now. To replace them:');
  console.log(`  npm run invite -- --vacancy ${vacancy.slug} --candidate ${candidate.id}`);
}

void runCommand(USAGE, main);
