import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { type MissingProperty, NotionDoctor } from '../notion-sync';
import { withNotionTools } from './cli-context';
import { runCommand, printable } from './output';

const USAGE = `npm run notion:doctor             what is wrong with the token and the boards
       npm run notion:doctor -- --fix    the same, and makes what is missing, each after a question`;

const SHOWN = { ok: 'ok   ', note: 'note ', wrong: 'WRONG' } as const;

/** `npm run notion:doctor`: exit code 1 while something is wrong. */
async function main(): Promise<void> {
  const { fix } = parseArgs({
    options: { fix: { type: 'boolean', default: false } },
    strict: true,
  }).values;
  await withNotionTools(async (notion) => {
    const doctor = notion.get(NotionDoctor);
    const missing = await tell(doctor);
    if (missing.length === 0) return;
    if (!fix) {
      console.log('\nnpm run notion:doctor -- --fix makes what is missing.');
      return;
    }
    if (await make(doctor, missing)) {
      console.log('');
      await tell(doctor);
    }
  });
}

/** What is missing and can be made. */
async function tell(doctor: NotionDoctor): Promise<MissingProperty[]> {
  const findings = await doctor.examine();
  for (const { kind, sentence } of findings) {
    console.log(`${SHOWN[kind]}  ${printable(sentence)}`);
  }
  process.exitCode = findings.some(({ kind }) => kind === 'wrong') ? 1 : 0;
  return findings.flatMap((finding) => finding.missing ?? []);
}

/** True: something was made. Whoever says nothing says no. */
async function make(doctor: NotionDoctor, missing: readonly MissingProperty[]): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin });
  const answers = terminal[Symbol.asyncIterator]();
  let isMade = false;
  try {
    for (const property of missing) {
      process.stdout.write(`\nMake the property "${property.name}" (${property.type})? [y/N] `);
      const answer = await answers.next();
      const said = answer.done === true ? '' : answer.value;
      if (!/^y(es)?$/i.test(said.trim())) continue;
      await doctor.create(property);
      isMade = true;
      console.log(`The property "${property.name}" is made.`);
    }
  } finally {
    terminal.close();
  }
  return isMade;
}

void runCommand(USAGE, main);
