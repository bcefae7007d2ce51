import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { candidateOf, COMMAND_LINE, runCommand, printableJson } from './output';
import { type CliContext, openAudit, withCli, withPersonalData } from './cli-context';

const USAGE = `npm run mydata -- --candidate ID         all that is stored about a candidate, as JSON`;

const OPTIONS = { candidate: { type: 'string' } } as const;

/** `npm run mydata`: what a candidate who asks for their data is to get. */
async function main(): Promise<void> {
  const candidateId = candidateOf(parseArgs({ options: OPTIONS, strict: true }).values.candidate);
  await withCli((cli) => print(cli, candidateId));
}

async function print(cli: CliContext, candidateId: string): Promise<void> {
  const audit = await openAudit(cli);
  await withPersonalData(cli, async (personal) => {
    const { pieces } = await personal.exportOf(
      (label, work) => cli.commit(label, work),
      candidateId,
    );
    await cli.commit('personal.audit', (tx) =>
      audit.note(tx, {
        actor: COMMAND_LINE,
        action: 'candidate.export',
        subjectId: candidateId,
      }),
    );
    for await (const piece of pieces) {
      if (!process.stdout.write(printableJson(piece))) await once(process.stdout, 'drain');
    }
  });
}

void runCommand(USAGE, main);
