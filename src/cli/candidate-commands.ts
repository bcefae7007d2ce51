import type { Command } from 'commander';
import { commandGroup, report, reportPrinted, subcommand, withJson } from './subcommand';

/** The subcommands about the data of candidates, and about how long it is kept. */

export function addCandidate(program: Command): void {
  const candidate = commandGroup(
    program,
    'candidate',
    "list candidates; export, erase or hold a candidate's data",
    [['export 019a3c1e-7f00-7000-8000-3b1f6a2c9d10 > anna.json', 'all that is stored']],
  );
  const load = () => import('./candidate');
  withJson(
    subcommand(candidate, 'list', 'list who was invited to a vacancy, and how far each is', [
      ['--vacancy backend-engineer', 'also who came by its open link'],
    ]),
  )
    .requiredOption('--vacancy <slug>', 'the vacancy')
    .action((options: { vacancy: string }, command: Command) =>
      report(command, 'Reading', async () =>
        (await import('./candidate-list')).listCandidates(options),
      ),
    );
  withJson(
    subcommand(candidate, 'export <id>', 'print all that is stored about a candidate, as JSON', [
      ['019a3c1e-7f00-7000-8000-3b1f6a2c9d10 > anna.json', 'recordings and files included'],
    ]),
  ).action((id: string, _options, command: Command) =>
    reportPrinted(command, 'Exporting', async (stopProgress) =>
      (await load()).exportCandidate(id, stopProgress),
    ),
  );
  withJson(
    subcommand(candidate, 'erase <id>', 'erase all that is stored about a candidate, for good', [
      ['019a3c1e-7f00-7000-8000-3b1f6a2c9d10 --yes', 'cannot be undone'],
    ]),
  )
    .option('--yes', 'confirm it')
    .action((id: string, options: { yes?: true }, command: Command) =>
      report(command, 'Erasing', async () => (await load()).eraseCandidate(id, options)),
    );
  addHolds(candidate);
}

function addHolds(candidate: Command): void {
  const load = () => import('./candidate');
  withJson(
    subcommand(candidate, 'hold <id>', 'place a legal hold: retention deletes nothing of them', [
      ['019a3c1e-7f00-7000-8000-3b1f6a2c9d10 --reason "claim 17/2026"', 'until it is released'],
    ]),
  )
    .requiredOption('--reason <text>', 'why; part of the export of their data')
    .action((id: string, options: { reason: string }, command: Command) =>
      report(command, 'Writing', async () => (await load()).holdCandidate(id, options)),
    );
  withJson(
    subcommand(candidate, 'release <id>', 'release the legal hold of a candidate', [
      ['019a3c1e-7f00-7000-8000-3b1f6a2c9d10', 'retention applies to them again'],
    ]),
  ).action((id: string, _options, command: Command) =>
    report(command, 'Writing', async () => (await load()).releaseCandidate(id)),
  );
}

export function addRetention(program: Command): void {
  withJson(
    subcommand(program, 'retention', 'show or delete data whose retention period is over', [
      ['--dry-run', 'how much is due, by class; deletes nothing'],
      ['--yes', 'delete it now instead of within the hour'],
    ]),
  )
    .option('--dry-run', 'only show what is due')
    .option('--yes', 'delete what is due, for good')
    .action((options: { dryRun?: true; yes?: true }, command: Command) =>
      report(command, 'Working', async () => (await import('./candidate')).retention(options)),
    );
}
