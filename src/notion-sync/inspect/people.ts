import { Injectable } from '@nestjs/common';
import { NotionApi, type PeopleBatch, type Person } from '../api/notion-api';
import type { NotionCalls } from '../run/run-calls';

/** The people of the workspace, as an operator names them. */
@Injectable()
export class People {
  constructor(private readonly api: NotionApi) {}

  /** Those with exactly this name or e-mail address; an id is taken as it is. */
  async find(calls: NotionCalls, wanted: string): Promise<Person[]> {
    if (ID.test(wanted)) return [{ id: wanted.toLowerCase(), name: null, email: null }];
    const found: Person[] = [];
    for (let cursor: string | null = null; ;) {
      const from: string | null = cursor;
      const batch: PeopleBatch = await calls.make((holder) => this.api.listPeople(holder, from));
      found.push(...batch.people.filter((person) => isCalled(person, wanted)));
      if (batch.nextCursor === null) return found;
      cursor = batch.nextCursor;
    }
  }
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function isCalled({ name, email }: Person, wanted: string): boolean {
  const text = wanted.toLowerCase();
  return [name, email].some((own) => own?.toLowerCase() === text);
}
