export { type Coverage, ReviewSource, type ReviewSubject } from './review-source';
export { Reviews } from './reviews';
export { ReviewsModule } from './reviews.module';
