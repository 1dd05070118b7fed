-- Embeddings of blocks. parts: an integer from -127 to 127 for each dimension. scale: the factor that converts these integers to
-- the numbers of the embedding.
create table toolpost.vectors (
  repository integer not null,
  cut bigint not null,
  number integer not null,
  test boolean not null,
  scale real not null,
  parts halfvec not null,
  primary key (repository, cut, number)
) partition by hash (repository);

create or replace function toolpost.forget_vectors() returns trigger language plpgsql as $$
begin
  update toolpost.cuts c set model = null from (select distinct repository, cut from gone) g
    where c.repository = g.repository and c.id = g.cut and c.model is not null;
  return null;
end $$;
create or replace function toolpost.forget_all_vectors() returns trigger language plpgsql as $$
begin
  update toolpost.cuts set model = null;
  return null;
end $$;
create trigger vectors_removed after delete on toolpost.vectors
  referencing old table as gone for each statement execute function toolpost.forget_vectors();
create trigger vectors_changed after update on toolpost.vectors
  referencing old table as gone for each statement execute function toolpost.forget_vectors();
create trigger vectors_emptied after truncate on toolpost.vectors
  for each statement execute function toolpost.forget_all_vectors();

-- If an earlier table of embeddings was dropped, no cut has embeddings any more.
update toolpost.cuts set model = null where model is not null;
