import { parseArgs } from 'node:util';
import { candidateOf } from './candidate-option';
import { type CliContext, withCliContext } from './cli-context';
import { withPersonalData } from './cli-personal-data';
import { COMMAND_LINE, runCommand } from './command';
import { printableJson } from './printable';

const USAGE = `npm run mydata -- --candidate ID         all that is stored about a candidate, as JSON`;

const OPTIONS = { candidate: { type: 'string' } } as const;

/** `npm run mydata`: what a candidate who asks for their data is to get. */
async function main(): Promise<void> {
  const candidateId = candidateOf(parseArgs({ options: OPTIONS, strict: true }).values.candidate);
  await withCliContext((cli) => print(cli, candidateId));
}

async function print(cli: CliContext, candidateId: string): Promise<void> {
  const data = await withPersonalData(cli, (personal) =>
    cli.commit('personal.export', async (tx) => {
      const told = await personal.exportOf(tx, candidateId);
      const event = { actor: COMMAND_LINE, action: 'candidate.export' } as const;
      await cli.audit.note(tx, { ...event, subjectId: candidateId });
      return told;
    }),
  );
  console.log(printableJson(data));
}

void runCommand(USAGE, main);
