import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { NotionDesk } from './notion-desk';

/** Where the NotionDesk of a higher layer is found; without one the application does not start. */
@Injectable()
export class DeskPort implements OnModuleInit {
  private found: NotionDesk | null = null;

  constructor(private readonly modules: ModuleRef) {}

  onModuleInit(): void {
    this.found = this.modules.get<NotionDesk>(NotionDesk, { strict: false });
  }

  get desk(): NotionDesk {
    if (this.found === null) throw new Error('the desk was asked for before the start');
    return this.found;
  }
}
