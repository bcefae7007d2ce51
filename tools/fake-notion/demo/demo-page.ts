import path from 'node:path';
import { PageServer } from '../../demo/page-server';
import type { NotionServer } from '../notion-server';
import type { NotionPage } from '../people/notion-page';
import type { NotionUser } from '../people/notion-user';
import { type BoardState, type BoardView, boardView, type Happened } from './board-view';
import type { Filled } from './fill';

const here = (file: string): string => path.join(__dirname, file);
const FILES = {
  '/': here('page.html'),
  '/page.js': here('page.js'),
  '/page.css': here('page.css'),
  '/base.css': here('../../demo/base.css'),
};
const MOST_REMEMBERED = 8;

/** What a person does on the page, as the body of `POST /do?by=…`. */
export type PageAction =
  | { readonly act: 'add'; readonly person: string; readonly name: string }
  | { readonly act: 'importance'; readonly task: string; readonly importance: number }
  | { readonly act: 'status'; readonly task: string; readonly status: string }
  | { readonly act: 'assign'; readonly task: string; readonly person: string }
  | { readonly act: 'colleagues'; readonly isOn: boolean };

export interface DemoPageOptions {
  readonly port?: number;
  /** Where boards stand in the queue of whoever ranks them. */
  readonly queue?: () => readonly BoardState[];
  /** Colleagues who are played. */
  readonly colleagues?: { isOn: boolean };
}

/** A page that shows all boards and edits tasks by clicks. */
export class DemoPage extends PageServer {
  private readonly happened: Happened[] = [];
  private readonly options: DemoPageOptions;

  constructor(
    private readonly notion: NotionServer,
    private readonly filled: Filled,
    options: DemoPageOptions = {},
  ) {
    super(FILES, { port: options.port ?? 0, lookEveryMs: 250 });
    this.options = options;
  }

  /** Notes that a board was ranked, and how many tasks of it were written. */
  noteRanked(personId: string, written: number): void {
    const name = this.filled.people.find(({ id }) => id === personId)?.name;
    if (name === undefined) return;
    this.note({ who: 'Colloquy', did: 'ranked', what: name, value: String(written) });
  }

  /** Carries out an edit in the name of `by`; by default the task's assignee or the new task's owner. */
  carryOut(action: PageAction, by?: NotionUser): void {
    const { board } = this.filled;
    if (action.act === 'colleagues') {
      if (this.options.colleagues !== undefined) this.options.colleagues.isOn = action.isOn;
      return;
    }
    if (action.act === 'add') {
      const person = this.person(action.person);
      const name = action.name.trim();
      if (name === '') throw new Error('a task has a name');
      const said = { Name: name, Assignee: person, Importance: 5, Status: 'Not started' };
      const author = by ?? person;
      board.task({ ...said, Estimate: 4 }, author);
      this.note({ who: author.name, did: 'add', what: name, value: person.name });
      return;
    }
    const task = board.page(action.task);
    const [owner = ''] = task.value('Assignee') as readonly string[];
    const author = by ?? this.person(owner);
    this.edit(task, action, author);
  }

  protected override view(query: URLSearchParams): BoardView {
    const id = query.get('person');
    const person = this.filled.people.find((one) => one.id === id) ?? this.filled.people[0];
    if (person === undefined) throw new Error('there is nobody');
    return boardView(this.notion, this.filled, person, {
      queue: this.options.queue?.() ?? [],
      happened: this.happened.toReversed(),
      colleagues: this.options.colleagues?.isOn ?? null,
      nowMs: this.notion.nowMs,
    });
  }

  protected override act(query: URLSearchParams, body: Buffer): void {
    const by = query.get('by');
    const author = by === null || by === '' ? undefined : this.person(by);
    this.carryOut(JSON.parse(body.toString('utf8')) as PageAction, author);
  }

  private edit(
    task: NotionPage,
    action: Exclude<PageAction, { act: 'add' | 'colleagues' }>,
    by: NotionUser,
  ): void {
    const said = { who: by.name, did: action.act, what: task.title };
    if (action.act === 'importance') {
      task.edit({ Importance: action.importance }, by);
      this.note({ ...said, value: String(action.importance) });
    } else if (action.act === 'status') {
      task.edit({ Status: action.status }, by);
      this.note({ ...said, value: action.status });
    } else {
      const person = this.person(action.person);
      task.edit({ Assignee: person }, by);
      this.note({ ...said, value: person.name });
    }
  }

  private note(happened: Happened): void {
    this.happened.push(happened);
    if (this.happened.length > MOST_REMEMBERED) this.happened.shift();
  }

  private person(id: string): NotionUser {
    const found = this.filled.people.find((one) => one.id === id);
    if (found === undefined) throw new Error('there is no such person');
    return found;
  }
}
