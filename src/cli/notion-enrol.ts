import { parseArgs } from 'node:util';
import type { Settings } from '../common/config';
import { type EnrolmentState, EnrolmentRepository } from '../notion-sync';
import { type CliContext, withCli } from './cli-context';
import { UsageError, runCommand, printableLine, timeText } from './output';

const USAGE = `npm run notion:enrol                 take the verification token that Notion sends next
       npm run notion:enrol -- --status     whether one is known, and whether one would be taken
       npm run notion:enrol -- --show       the same, with the token in full
       npm run notion:enrol -- --close      take none any more`;

const OPTIONS = {
  status: { type: 'boolean', default: false },
  show: { type: 'boolean', default: false },
  close: { type: 'boolean', default: false },
} as const;

const SHOWN_CHARS = 4;

/** `npm run notion:enrol`: how the webhook's token gets from Notion to Colloquy. */
async function main(): Promise<void> {
  const { status, show, close } = parseArgs({ options: OPTIONS, strict: true }).values;
  if (close && (status || show)) throw new UsageError('--close goes alone.');
  await withCli(async (cli) => {
    const enrolment = new EnrolmentRepository(cli.clock);
    if (close) await cli.commit('notion.close-enrolment', (tx) => enrolment.close(tx));
    if (status || show || close) {
      const state = await cli.commit('notion.enrolment', (tx) => enrolment.state(tx));
      printState(state, cli.settings, show);
    } else {
      await open(cli, enrolment);
    }
  });
}

async function open(cli: CliContext, enrolment: EnrolmentRepository): Promise<void> {
  const { openUntil, nonce } = await cli.commit('notion.open-enrolment', (tx) =>
    enrolment.open(tx),
  );
  const { settings } = cli;
  console.log(`Enrolment is open until ${timeText(openUntil)}, for one token.`);
  console.log('  1. In Notion, open the integration, then Webhooks, and create a subscription for');
  console.log(`       ${addressOf(settings)}?enrol=${nonce}`);
  console.log(
    '     The address works once, and nobody else knows it: delete an earlier subscription.',
  );
  console.log('  2. npm run notion:enrol -- --show    shows the token that came.');
  console.log('  3. Enter it in Notion, under Verify. From then on events come in.');
  printWarnings(settings);
}

function printState(state: EnrolmentState, settings: Settings, isShown: boolean): void {
  const { token, enrolledAt, openUntil } = state;
  const known = token === null ? 'none' : isShown ? printableLine(token) : masked(token);
  const since = enrolledAt === null ? '' : `, enrolled ${timeText(enrolledAt)}`;
  console.log(`Token      ${known}${since}`);
  console.log(`Enrolment  ${openUntil === null ? 'closed' : `open until ${timeText(openUntil)}`}`);
  printWarnings(settings);
}

function printWarnings({ notion, notionSync }: Settings): void {
  if (notionSync.webhookToken !== '') {
    console.log('NOTION_WEBHOOK_TOKEN is set: it is what counts, whatever is enrolled.');
  }
  if (notion.token === '') console.log('NOTION_TOKEN is not set here: without it the sync is off.');
}

/** Its ends tell two tokens apart. */
function masked(token: string): string {
  if (token.length < 4 * SHOWN_CHARS) return '(hidden)';
  return `${printableLine(token.slice(0, SHOWN_CHARS))}…${printableLine(token.slice(-SHOWN_CHARS))}`;
}

function addressOf({ http }: Settings): string {
  const base = http.publicUrl === '' ? 'https://<where Notion reaches Colloquy>' : http.publicUrl;
  return `${base}/webhooks/notion`;
}

void runCommand(USAGE, main);
