import type { NotionServer } from '../notion-server';
import type { Board } from '../people/board';
import type { NotionPage } from '../people/notion-page';
import type { NotionUser } from '../people/notion-user';

/** What the members of one team of a payments company do. Each team gives its people their tasks. */
const TEAMS: readonly (readonly string[])[] = [
  [
    'Retry settlement transfers that time out',
    'Move refund rounding into the ledger service',
    'Fix duplicate webhooks for partial refunds',
    'Add an index for payouts by shop and day',
    'Write the runbook for a failed settlement run',
    'Replace the cron job that closes the day',
    'Review the pull request on idempotency keys',
    'Upgrade PostgreSQL on staging to 18',
    'Alert when a bank file is more than an hour late',
    'Load-test the payout endpoint for Black Friday',
    'Remove the feature flag of the old checkout',
    'Document the reconciliation report for auditors',
    'Trace slow requests of the shop dashboard',
    'Rotate the signing keys of the bank connection',
  ],
  [
    'Answer the three shops with blocked payouts',
    'Update the article on chargebacks',
    'Train the evening shift on the new refund form',
    'Find out why first replies took longer in October',
    'Write macros for terminal swaps',
    'Call the bakery chain about its contract',
    'Review ten chats with low ratings',
    'Plan the rota for December',
    'Collect the five most common login problems',
    'Test the new chat widget on an old phone',
    'Translate the outage notice into Portuguese',
    'Close tickets that wait for customers since summer',
    'Agree with engineering on a path for urgent bugs',
    'Prepare the weekly support report',
  ],
  [
    'Draft the newsletter for shop owners',
    'Choose photos for the bicycle shop story',
    'Brief the agency on the spring campaign',
    'Measure which page new shops sign up from',
    'Rewrite the pricing page in plain words',
    'Book a stand at the retail fair in Porto',
    'Record a two-minute video about payment links',
    'Ask eight customers for a quote',
    'Compare search ads in Ireland and Portugal',
    'Update the logo on the partner pages',
    'Plan posts for the first week of January',
    'Write a case study with the market traders',
    'Clean up old contacts in the mailing list',
    'Review the texts of the sign-up e-mails',
  ],
  [
    'Close the books for October',
    'Reconcile card scheme fees of the third quarter',
    'Prepare the board report for December',
    'Check the invoices of the terminal supplier',
    'Forecast cash for the next two quarters',
    'File the VAT return in Portugal',
    'Answer the auditor on access to production',
    'Renew the insurance of the Lisbon office',
    'Review travel costs of the sales team',
    'Set budgets of the teams for next year',
    'Pay out the option exercises of November',
    'Automate the import of bank statements',
    'Update the approval limits for purchases',
    'Explain the new fee model to support',
  ],
  [
    'Schedule interviews for the ledger vacancy',
    'Write the offer for the second designer',
    'Plan the first week of the two new engineers',
    'Update the page on parental leave',
    'Collect feedback on the team days in Cork',
    'Renew the visa of our tester',
    'Review salary bands with finance',
    'Reply to candidates of last week',
    'Order laptops for January',
    'Prepare the training on hiring without bias',
    'Check the contract of the cleaning company',
    'Organise the December lunch in Lisbon',
    'Talk with the works council about on-call',
    'Publish the vacancy for a support lead',
  ],
  [
    'Sketch the payout calendar for the shop app',
    'Test the new receipt with six shop owners',
    'Fix the contrast of the dark theme',
    'Redraw the icons of payment methods',
    'Prepare the usability test of onboarding',
    'Write microcopy for failed payments',
    'Tidy up the component library',
    'Review the settings page on small phones',
    'Draw the empty states of the dashboard',
    'Summarise what people said about the terminal',
    'Agree on date formats with engineering',
    'Design the e-mail for a delayed payout',
    'Check the sign-up flow with a screen reader',
    'Present two ideas for the home screen',
  ],
];
const NAMES = [
  'Tiago Marques, Aoife Brennan, Priya Raman, Jonas Eriksen, Inês Carvalho, Daniel Okafor, Marta Kowalska',
  'Liam Doyle, Sofia Ribeiro, Kenji Watanabe, Elena Petrova, Hugo Lambert, Grace Mensah, Farid Haddad',
  'Niamh Byrne, Tomás Costa, Irina Belova, Omar Siddiqui, Clara Jensen, Boris Novak, Ada Whelan, Ravi Nair',
  'Julia Schneider, Pedro Duarte, Maeve Connolly, Anton Weiss, Leila Amiri, Oscar Lind, Rita Fonseca',
  'Sean Gallagher, Yuki Tanaka, Paulo Mendes, Greta Holm, Amir Rahimi, Nina Horvat, Conor Walsh, Mia Santos',
  'Viktor Dahl, Beatriz Lopes, Hana Kim, Eoin Murphy, Zofia Nowak, Mateo Silva, Ingrid Berg, Samuel Adeyemi',
  'Lucia Moretti, Peter Fitzgerald, Dana Levy, Rui Teixeira, Karin Olsen',
].flatMap((line) => line.split(', '));
const STATUSES = ['Not started', 'Not started', 'In progress', 'In review', 'Done'];
const DAY_MS = 86_400_000;

export interface Filled {
  readonly board: Board;
  readonly people: readonly NotionUser[];
}

export interface FillOptions {
  readonly people: number;
  readonly tasksEach: number;
  readonly today: Date;
  /** People with a known id, who come first: owners of vacancies. */
  readonly owners?: readonly { readonly name: string; readonly id: string }[];
}

/** Creates people with tasks, the same ones each time; dates are around `today`. */
export function fill(
  { workspace }: NotionServer,
  { people: count, tasksEach, today, owners = [] }: FillOptions,
): Filled {
  const board = workspace.board({
    title: 'Tasks of all teams',
    columns: {
      Status: {
        status: {
          'To-do': ['Not started', 'Awaiting review'],
          'In progress': ['In progress', 'In review'],
          Complete: ['Done', 'Dropped'],
        },
      },
      Candidate: 'rich_text',
      Vacancy: 'rich_text',
      Coverage: 'rich_text',
      Transcript: 'url',
    },
  });
  const people = [
    ...owners.map(({ name, id }) => workspace.user(name, id)),
    ...Array.from({ length: count }, (_, n) =>
      workspace.user(NAMES[n] ?? `New colleague ${String(n + 1)}`),
    ),
  ];
  const chance = chances(count * tasksEach);
  people.forEach((person, n) => {
    // The fifth team hires people, so owners of vacancies are in it.
    const team = TEAMS[(n < owners.length ? 4 : n - owners.length) % TEAMS.length] ?? [];
    const skip = chance(team.length);
    let before: NotionPage | null = null;
    for (let task = 0; task < tasksEach; task += 1) {
      const name = team[(skip + task) % team.length] ?? '';
      const round = Math.floor(task / team.length);
      const title = round === 0 ? name : `${name}, part ${String(round + 1)}`;
      before = addTask(board, { person, title, before, today }, chance);
    }
  });
  return { board, people };
}

function addTask(
  board: Board,
  {
    person,
    title,
    before,
    today,
  }: { person: NotionUser; title: string; before: NotionPage | null; today: Date },
  chance: (below: number) => number,
): NotionPage {
  const day = (days: number): string =>
    new Date(today.getTime() + days * DAY_MS).toISOString().slice(0, 10);
  const status = STATUSES[chance(STATUSES.length)] ?? 'Not started';
  return board.task({
    Name: title,
    Assignee: person,
    Importance: chance(10) + 1,
    Status: status,
    Estimate: chance(12) + 1,
    ...(chance(2) === 0 ? { Due: day(chance(30) - 2) } : {}),
    ...(status === 'In progress' ? { 'Task Started Date': day(-chance(5)) } : {}),
    ...(before !== null && chance(8) === 0 ? { 'Blocked By': before } : {}),
  });
}

/** A pseudo-random generator with a fixed sequence (linear congruential). */
export function chances(seed: number): (below: number) => number {
  let state = (seed % 2_147_483_646) + 1;
  return (below) => {
    state = (state * 48_271 + 11) % 2_147_483_647;
    return Math.floor((state / 2_147_483_647) * below);
  };
}
