import type { Command } from 'commander';
import { report, subcommand, withJson } from './subcommand';

/** The subcommands about scores and decisions. */

export function addScore(program: Command): void {
  const score = program.command('score').description('look at the scoring of an interview');
  withJson(
    subcommand(score, 'show', 'show how far the scoring came; scores in shadow stay hidden', [
      ['--conversation 019a3c1e-7f00-7000-8000-3b1f6a2c9d10', 'with the id for a replay'],
    ]),
  )
    .requiredOption('--conversation <id>', 'the conversation')
    .action((options: { conversation: string }, command: Command) =>
      report(command, 'Reading', async () => (await import('./score')).showScore(options)),
    );
  withJson(
    subcommand(program, 'replay', 'ask the model again what a scoring asked, and compare', [
      ['--score 019a3c1e-7f00-7000-8000-3b1f6a2c9d10', 'one request for each sample'],
    ]),
  )
    .requiredOption('--score <id>', 'the scoring, as "score show" names it')
    .action((options: { score: string }, command: Command) =>
      report(command, 'Asking again', async () => (await import('./score')).replayScore(options)),
    );
}

export function addDecision(program: Command): void {
  const decision = program
    .command('decision')
    .description('record what people decided, and sign files of what it was based on');
  const load = () => import('./decision');
  withJson(
    subcommand(decision, 'record', 'record what a person decided about a candidate, and why', [
      ['--candidate ID --by "Nora Lindqvist" --reason "Invited: strong on recovery"', 'by name'],
    ]),
  )
    .requiredOption('--candidate <id>', 'the candidate')
    .requiredOption('--by <name>', 'who decided')
    .requiredOption('--reason <text>', 'what was decided and why, 1 to 2000 characters')
    .action((options: { candidate: string; by: string; reason: string }, command: Command) =>
      report(command, 'Writing', async () => (await load()).recordDecision(options)),
    );
  withJson(
    subcommand(decision, 'export', 'write the signed file of a decision', [
      ['--candidate ID --out decision.json', 'the next file of the chain'],
    ]),
  )
    .requiredOption('--candidate <id>', 'the candidate')
    .requiredOption('--out <file>', 'the file to write; it must not exist')
    .action((options: { candidate: string; out: string }, command: Command) =>
      report(command, 'Writing', async () => (await load()).exportDecision(options)),
    );
  withJson(
    subcommand(decision, 'verify <files...>', 'check signatures of files, and how they follow', [
      ['decision.json', 'with the public key of this data folder'],
      ['*.json --key decision-key.pub.pem', 'with a key that was handed over'],
    ]),
  )
    .option('--key <file>', 'the public key; without it the one in the data folder')
    .action((files: string[], options: { key?: string }, command: Command) =>
      report(command, 'Checking', async () => (await load()).verifyDecisions(files, options)),
    );
}
