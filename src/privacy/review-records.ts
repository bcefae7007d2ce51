import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ReviewRequests } from '../notion-sync/reviews';
import { PersonalDataService } from './personal-data.service';

/** The pages that stand for interviews in Notion: told, and removed with them. */
@Injectable()
export class ReviewRecords implements OnModuleInit {
  constructor(
    private readonly personal: PersonalDataService,
    private readonly reviews: ReviewRequests,
  ) {}

  onModuleInit(): void {
    this.personal.registerHolder({
      name: 'notion',
      exportOf: (tx, _candidateId, conversationIds) => this.reviews.exportOf(tx, conversationIds),
      erase: (tx, _candidateId, conversationIds) => this.reviews.erase(tx, conversationIds),
    });
  }
}
