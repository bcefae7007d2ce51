import type { Command } from 'commander';
import type { AddedReplay } from '../../cli/replay-command';
import { commandGroup, report, subcommand, withJson } from '../../cli/subcommand';

/** The subcommands about scores and decisions. */
export function addScoring(program: Command): void {
  addScore(program);
  addCalibrate(program);
  addFairness(program);
  addDecision(program);
}

/** What `colloquy replay` also repeats. */
export const SCORE_REPLAY: AddedReplay = {
  name: 'score',
  expects: 'the scoring, as "score show" names it',
  example: ['--score 019a3c1e-7f00-7000-8000-3b1f6a2c9d10', 'one request for each sample'],
  run: async (id) => (await import('./replay')).replayScore(id),
};

function addScore(program: Command): void {
  const score = commandGroup(program, 'score', 'look at the scoring of an interview', [
    ['show --conversation 019a3c1e-7f00-7000-8000-3b1f6a2c9d10', 'how far it came'],
  ]);
  withJson(
    subcommand(score, 'show', 'show how far the scoring came; scores in shadow stay hidden', [
      ['--conversation 019a3c1e-7f00-7000-8000-3b1f6a2c9d10 --by Nora', 'after a rating of Nora'],
    ]),
  )
    .requiredOption('--conversation <id>', 'the conversation')
    .option('--by <name>', 'who looks; certified scores are shown after a rating by the same name')
    .action((options: { conversation: string; by?: string }, command: Command) =>
      report(command, 'Reading', async () => (await import('./score')).showScore(options)),
    );
  addRate(score);
}

function addRate(score: Command): void {
  withJson(
    subcommand(score, 'rate', "store a reviewer's own rating, which comes before the model's", [
      ['--candidate ID --by Nora --rating last=4 why=3', 'rubrics that are one text'],
      ['--candidate ID --by Nora --rating "last/depth=4"', 'by a named criterion'],
    ]),
  )
    .requiredOption('--candidate <id>', 'the candidate')
    .option('--conversation <id>', 'the interview, when the candidate has several')
    .requiredOption('--by <name>', 'who rates')
    .requiredOption(
      '--rating <ratings...>',
      'QUESTION=MARK or QUESTION/CRITERION=MARK, from 1 to 5',
    )
    .action((options: RateOptions, command: Command) =>
      report(command, 'Writing', async () => (await import('./score')).rateScore(options)),
    );
}

interface RateOptions {
  readonly candidate: string;
  readonly conversation?: string;
  readonly by: string;
  readonly rating: string[];
}

function addCalibrate(program: Command): void {
  const calibrate = commandGroup(
    program,
    'calibrate',
    "compare the model's scores with people's ratings, and certify rubrics",
    [['report --vacancy backend-engineer', 'how far people and the model agree']],
  );
  const load = () => import('./calibrate');
  withJson(
    subcommand(
      calibrate,
      'export',
      'write the answers for people to rate, without names or scores',
      [['--vacancy backend-engineer --out answers.csv', 'one row for each answer and criterion']],
    ),
  )
    .requiredOption('--vacancy <slug>', 'the vacancy')
    .requiredOption('--out <file>', 'the CSV file to write; it must not exist')
    .action((options: { vacancy: string; out: string }, command: Command) =>
      report(command, 'Writing', async () => (await load()).exportAnswers(options)),
    );
  withJson(
    subcommand(calibrate, 'import <file>', 'store the ratings of one person, all or none', [
      ['answers-nora.csv --rater "Nora Lindqvist"', 'from the column rating'],
    ]),
  )
    .requiredOption('--rater <name>', 'who rated')
    .action((file: string, options: { rater: string }, command: Command) =>
      report(command, 'Importing', async () => (await load()).importRatings(file, options)),
    );
  withJson(
    subcommand(calibrate, 'report', 'print how far people and the model agree', [
      ['--vacancy backend-engineer', 'by criterion, for the model of the settings'],
    ]),
  )
    .requiredOption('--vacancy <slug>', 'the vacancy')
    .action((options: { vacancy: string }, command: Command) =>
      report(command, 'Reading', async () => (await load()).calibrationReport(options)),
    );
  withJson(
    subcommand(calibrate, 'certify', 'certify rubrics whose scores agree well enough with people', [
      ['--vacancy backend-engineer', 'exit code 1 when a rubric stays in shadow'],
    ]),
  )
    .requiredOption('--vacancy <slug>', 'the vacancy')
    .option('--local-model', 'a real model is served on this machine')
    .action((options: { vacancy: string; localModel?: true }, command: Command) =>
      report(command, 'Certifying', async () => (await load()).certify(options)),
    );
}

function addFairness(program: Command): void {
  const fairness = commandGroup(
    program,
    'fairness',
    'check that irrelevant edits do not change scores; print selection rates',
    [
      ['--vacancy backend-engineer', 'rate pairs of answers that deserve the same mark'],
      ['selection declared.csv', 'selection rates by group'],
    ],
  );
  const load = () => import('./fairness');
  withJson(
    subcommand(
      fairness,
      'run',
      'rate pairs of answers that deserve the same mark',
      [
        ['--vacancy backend-engineer', 'every rubric, with made-up answers'],
        ['--vacancy backend-engineer --answers own.csv', 'with answers that fit your questions'],
      ],
      { isDefault: true },
    ),
  )
    .requiredOption('--vacancy <slug>', 'the vacancy')
    .option('--answers <file>', 'a CSV file with question,language,answer')
    .action((options: { vacancy: string; answers?: string }, command: Command) =>
      report(command, 'Asking', async () => (await load()).runFairness(options)),
    );
  withJson(
    subcommand(fairness, 'selection <file>', 'print selection rates by self-declared group', [
      ['declared.csv', 'columns: selected (yes or no), and one for each category'],
    ]),
  ).action((file: string, _options, command: Command) =>
    report(command, 'Reading', async () => (await load()).selectionTable(file)),
  );
}

function addDecision(program: Command): void {
  const decision = commandGroup(
    program,
    'decision',
    'record what people decided, and sign files of what it was based on',
    [['export --candidate ID --out decision.json', 'the next file of the chain']],
  );
  const load = () => import('./decision');
  withJson(
    subcommand(decision, 'record', 'record what a person decided about a candidate, and why', [
      ['--candidate ID --by "Nora Lindqvist" --reason "No experience with recovery"', 'against'],
      ['--candidate ID --by "Nora Lindqvist" --reason "Invited" --not-adverse', 'in favour'],
    ]),
  )
    .requiredOption('--candidate <id>', 'the candidate')
    .requiredOption('--by <name>', 'who decided')
    .requiredOption('--reason <text>', 'what was decided and why, 1 to 2000 characters')
    .option('--not-adverse', 'it is not against the candidate, so no letter about it is due')
    .action(
      (
        options: { candidate: string; by: string; reason: string; notAdverse?: true },
        command: Command,
      ) => report(command, 'Writing', async () => (await load()).recordDecision(options)),
    );
  withJson(
    subcommand(decision, 'notice', 'write the letter about the decisions against a candidate', [
      ['--candidate ID', 'in the language of the interview'],
      ['--candidate ID --by "Nora Lindqvist" --language ru', 'in Russian, by name'],
    ]),
  )
    .requiredOption('--candidate <id>', 'the candidate')
    .option('--by <name>', 'who writes it (the command line)')
    .option('--language <language>', 'en or ru')
    .action((options: { candidate: string; by?: string; language?: string }, command: Command) =>
      report(command, 'Writing', async () => (await load()).writeLetter(options)),
    );
  withJson(
    subcommand(decision, 'list', 'list what people decided, the newest first', [
      ['', 'the latest 200'],
      ['--candidate ID', 'about one candidate'],
    ]),
  )
    .option('--candidate <id>', 'only about this candidate')
    .action((options: { candidate?: string }, command: Command) =>
      report(command, 'Reading', async () => (await load()).listDecisions(options)),
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
