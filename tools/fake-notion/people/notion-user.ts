import type { Person } from '../state/person';

/** A member, a bot of another connection, or an agent of Notion's. */
export class NotionUser {
  constructor(readonly person: Person) {}

  get id(): string {
    return this.person.id;
  }

  get name(): string {
    return this.person.name;
  }

  /** Deletes the account: its pages keep the id, and no event is sent. */
  leaves(): void {
    this.person.isGone = true;
  }
}
