"""The study, in one object."""

from lib.study import Study

STUDY = Study(
    title="Who gets a model of their own",
    paper="companion",
    grids={
        "pooling_mst": "studies.pooling.grids:MST",
        "pooling_aim": "studies.pooling.grids:AIM",
        "pooling_gem": "studies.pooling.grids:GEM",
    },
    chapters=("chapters/synth/pooling",),
)
