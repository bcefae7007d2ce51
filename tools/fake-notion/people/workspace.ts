import type { WorkspaceState } from '../state/workspace-state';
import { Board } from './board';
import { columnOf, type ColumnSpecs, USUAL_COLUMNS } from './columns';
import { NotionUser } from './notion-user';

export interface NewBoard {
  readonly title?: string;
  /** Added to the usual columns, or replacing those with the same name. */
  readonly columns?: ColumnSpecs;
  /** Usual columns that it lacks. */
  readonly without?: readonly string[];
  readonly by?: NotionUser;
}

/** The people of a workspace and what they make. */
export class Workspace {
  private readonly owner: NotionUser;

  constructor(private readonly state: WorkspaceState) {
    this.owner = this.user('Olga Owner');
  }

  /** A new member; `id` as given or one of their own. */
  user(name: string, id?: string): NotionUser {
    return new NotionUser(this.state.addPerson(name, 'person', id));
  }

  /** The bot of another connection. */
  otherBot(name: string): NotionUser {
    return new NotionUser(this.state.addPerson(name, 'bot'));
  }

  /** One of Notion's own agents. */
  agent(name: string): NotionUser {
    return new NotionUser(this.state.addPerson(name, 'agent'));
  }

  board({ title = 'Tasks', columns = {}, without = [], by = this.owner }: NewBoard = {}): Board {
    const source = this.state.addSource({ title, columns: [] }, by.person);
    const wanted = Object.entries({ ...USUAL_COLUMNS, ...columns });
    const kept = wanted.filter(([name]) => !without.includes(name));
    source.columns = kept.map(([name, spec]) => columnOf(this.state, name, spec, source.id));
    return new Board(this.state, source);
  }
}
