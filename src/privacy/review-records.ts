import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Reviews } from '../notion-sync/reviews';
import { PersonalData } from './personal-data';

/** The pages that stand for interviews in Notion: told, and removed with them. */
@Injectable()
export class ReviewRecords implements OnModuleInit {
  constructor(
    private readonly personal: PersonalData,
    private readonly reviews: Reviews,
  ) {}

  onModuleInit(): void {
    this.personal.registerHolder({
      name: 'notion',
      exportOf: (tx, _candidateId, conversationIds) => this.reviews.exportOf(tx, conversationIds),
      erase: (tx, _candidateId, conversationIds) => this.reviews.erase(tx, conversationIds),
    });
  }
}
