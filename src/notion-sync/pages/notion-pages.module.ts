import { Module } from '@nestjs/common';
import { NotionPages } from './notion-pages';

@Module({ providers: [NotionPages], exports: [NotionPages] })
export class NotionPagesModule {}
